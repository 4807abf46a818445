import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';

/** Parts that the reader has, and the page does not show. */
const readersOwn = {
  'bank.ts': 'export const bank = { payBack: async (_orderId: string, _cents: number) => ({ receipt: "real" }) };\n',
};

const at = '2026-01-01T00:00:00.000Z';
const step = (name: string, index: number, row: object) => ({
  ...{ name, index, attempt: 1, status: 'succeeded', startedAt: at, endedAt: at },
  ...row,
});

/** A recorded run of the guide's workflow. */
const refunded = {
  version: 1,
  run: {
    ...{ id: 'r', app: 'shop', workflow: 'refund', status: 'succeeded', triggerKind: 'event', attempt: 1 },
    ...{ eventName: 'refund.asked', input: { orderId: 'o1', cents: 5 }, createdAt: at },
  },
  steps: [
    step('pay back', 0, { output: { receipt: 'r1' } }),
    step('let it clear', 1, { input: { sleepMs: 604_800_000 }, output: null }),
    step('tell everybody', 2, { output: { eventId: 'e', runIds: [] } }),
  ],
  order: ['pay back', 'let it clear', 'tell everybody'],
};

it('the snippets of the guide to testing compile, and their tests pass', async () => {
  const page = await readFile(join(projectRoot, 'docs/guides/testing.md'), 'utf8');
  const files = new Map<string, string>(Object.entries(readersOwn));
  for (const [, name = '', code = ''] of page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms))
    files.set(name, `${files.get(name) ?? ''}${code}`);
  expect([...page.matchAll(/^```ts$/gm)]).toHaveLength([...page.matchAll(/^```ts\n\/\/ \S+\.ts$/gm)].length);
  const tests = [...files.keys()].filter((name) => name.endsWith('.test.ts'));
  expect(tests.length).toBeGreaterThanOrEqual(4);

  await mkdir(join(projectRoot, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(projectRoot, '.cache/testing-'));
  try {
    await mkdir(join(folder, 'fixtures'));
    await writeFile(join(folder, 'fixtures/refunded.json'), JSON.stringify(refunded));
    for (const [name, code] of files) await writeFile(join(folder, name), code);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, types: ['node'], skipLibCheck: true };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    expect(
      await run(folder, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false']),
    ).toBe('');
    const told = await run(folder, ['--test', ...tests.map((name) => name.replace(/\.ts$/, '.js'))]);
    expect(told).toMatch(/^\S+ fail 0$/m);
    expect(Number(/^\S+ pass (\d+)$/m.exec(told)?.[1])).toBe(page.match(/^test\(/gm)?.length);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function run(cwd: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (_error, stdout) => resolve(stdout));
  });
}
