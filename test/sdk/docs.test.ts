import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * The names that the page's snippets use: a client, definitions of earlier snippets, and the
 * reader's own functions.
 */
const surroundings = `
import type { EventType, Holdfast as Client, Workflow } from '@holdfast/sdk';
type Order = { orderId: string; cents: number; customer: { id: string } };
declare global {
  const hf: Client;
  const orderPaid: EventType<Order>;
  const fulfil: Workflow<Order, { parcel: string }>;
  const eventType: typeof import('@holdfast/sdk').eventType;
  const Holdfast: typeof import('@holdfast/sdk').Holdfast;
  const ticketOpened: EventType<{ ticketId: string; text: string }>;
  const refundOrder: Workflow<{ orderId: string; cents: number }, { receipt: string }>;
  function findOrder(orderId: string): Promise<{ item: string; cents: number }>;
  function searchDocs(query: string): Promise<string[]>;
  function forecast(city: string): Promise<{ degrees: number }>;
  function sendMail(to: string, text: string): Promise<void>;
  function notify(text: string): Promise<void>;
  function pack(orderId: string): Promise<string>;
  function loadAddress(orderId: string): Promise<{ street: string }>;
  function printLabel(address: { street: string }, options: object): Promise<{ insured: boolean }>;
  function sumSales(): number;
  function countStock(): number;
  function callBank(orderId: string): Promise<{ status: number; id: string }>;
  function refund(orderId: string, cents: number): Promise<void>;
  function reserve(orderId: string): Promise<void>;
  function callModel(prompt: string): Promise<{ text: string; model: string; usage: { input: number; output: number } }>;
}`;

/** Pages, each with the least number of its snippets. */
const pages = [
  ['docs/sdk.md', 10],
  ['docs/guides/ai.md', 6],
  ['docs/guides/agents.md', 6],
] as const;

it.each(pages)('every snippet of %s compiles against the SDK', async (path, least) => {
  const page = await readFile(join(root, path), 'utf8');
  const snippets = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code ?? '');
  expect(snippets.length).toBeGreaterThan(least);
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache/docs-'));
  try {
    await writeFile(join(folder, 'surroundings.ts'), surroundings);
    for (const [n, code] of snippets.entries())
      await writeFile(join(folder, `snippet${n + 1}.ts`), `${code}\nexport {};\n`);
    const config = { extends: join(root, 'tsconfig.test.json'), compilerOptions: { rootDir: root }, include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(await compile(folder)).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

function compile(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], (_error, stdout) => resolve(stdout));
  });
}
