import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';
import { otherEngines } from './otherEngines.ts';
import { blocksOf } from './pages.ts';

/**
 * The names that the page's snippets use: a client, definitions of earlier snippets, and the
 * reader's own functions.
 */
const surroundings = `
import type { EventType, Holdfast as Client, StepTools, Workflow } from '@holdfast/sdk';
type Order = { orderId: string; cents: number; customer: { id: string } };
declare global {
  const hf: Client;
  const orderPaid: EventType<Order>;
  const fulfil: Workflow<Order, { parcel: string }>;
  const eventType: typeof import('@holdfast/sdk').eventType;
  const Holdfast: typeof import('@holdfast/sdk').Holdfast;
  const ticketOpened: EventType<{ ticketId: string; text: string }>;
  const refundOrder: Workflow<{ orderId: string; cents: number }, { receipt: string }>;
  const step: StepTools;
  const event: { readonly data: Order };
  function buildReport(scheduledAt: string): Promise<void>;
  function payBack(order: { orderId: string; amount: number }): Promise<void>;
  function label(issue: unknown): Promise<void>;
  function findOrder(orderId: string): Promise<{ item: string; cents: number }>;
  function searchDocs(query: string): Promise<string[]>;
  function forecast(city: string): Promise<{ degrees: number }>;
  function sendMail(to: string, text: string): Promise<void>;
  function notify(text: string): Promise<void>;
  function askForReview(customerId: string): Promise<void>;
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

let folder: string;
beforeAll(async () => {
  await mkdir(join(projectRoot, '.cache'), { recursive: true });
  folder = await mkdtemp(join(projectRoot, '.cache/docs-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the compiler says of the snippets, each named by its place. */
async function faultsOf(
  name: string,
  snippets: readonly { at: string; code: string }[],
  options: object,
): Promise<string> {
  const home = join(folder, name);
  await mkdir(home);
  await writeFile(join(home, 'surroundings.ts'), surroundings);
  await writeFile(join(home, 'otherEngines.d.ts'), otherEngines);
  for (const [n, { code }] of snippets.entries())
    await writeFile(join(home, `snippet${n}.ts`), `${code}\nexport {};\n`);
  const compilerOptions = { rootDir: projectRoot, ...options };
  const config = { extends: join(projectRoot, 'tsconfig.test.json'), compilerOptions, include: ['*.ts'] };
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify(config));
  const output = await compile(home);
  return output.replace(/\S*snippet(\d+)\.ts/g, (_all, n: string) => snippets[Number(n)]?.at ?? n);
}

function compile(home: string): Promise<string> {
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', home, '--pretty', 'false'], (_error, stdout) => resolve(stdout));
  });
}

describe('the snippets of the pages', () => {
  it('in TypeScript compile against the SDK', async () => {
    // Those of one guide are parts of files. `testing.test.ts` compiles them, and runs their tests.
    const snippets = blocksOf('ts').filter(({ at }) => !at.startsWith('docs/guides/testing.md'));
    expect(snippets.length).toBeGreaterThan(50);
    expect(await faultsOf('ours', snippets, {})).toBe('');
  });

  it('of other engines compile against the parts of their types that they use', async () => {
    const snippets = blocksOf('typescript');
    expect(new Set(snippets.map(({ path }) => path))).toEqual(new Set(['docs/guides/coming-from.md']));
    expect(await faultsOf('theirs', snippets, {})).toBe('');
    const misspelt = snippets.map(({ at, code }) => ({
      at,
      code: code.replace(/\b(run|condition|recv|forToken)\b/g, '$1x'),
    }));
    const faults = await faultsOf('misspelt', misspelt, {});
    for (const { at } of snippets) expect(faults).toContain(at);
  });

  // In plain JavaScript the data of an event has no type.
  it('in JavaScript can be parsed', async () => {
    expect(await faultsOf('parsed', blocksOf('js'), { noCheck: true })).toBe('');
    expect(await faultsOf('unparsable', [{ at: 'here', code: 'const = 1' }], { noCheck: true })).toContain('here');
  });
});
