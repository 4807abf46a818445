import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../support/build.ts';
import { call, type Packed, packSdk } from './packed.ts';

/** The floor, and the last of each major. 5.5 to 5.8 lie between two that pass. */
const versions = ['5.4', '5.9', '6.0', '7.0'];
const modules = [
  { module: 'esnext', moduleResolution: 'bundler' },
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
];

const compilerOf = (version: string): string =>
  version === '7.0'
    ? join(projectRoot, 'node_modules/typescript/bin/tsc')
    : join(projectRoot, `test/support/typescript/${version}/node_modules/typescript/bin/tsc`);

const consumer = `
import { eventType, Holdfast, serve, staticSchema } from '@holdfast/sdk';
import { durable } from '@holdfast/sdk/ai-sdk';
import { toNodeHandler } from '@holdfast/sdk/node';
import { protocolVersion } from '@holdfast/sdk/protocol';
import { perAttempt, testRun } from '@holdfast/sdk/testing';
import { verifyWebhook } from '@holdfast/sdk/webhooks';

const hf = new Holdfast();
const paid = eventType('paid', { schema: staticSchema<{ cents: number }>() });
const sent = eventType<{ parcel: string }>('sent');
export const w = hf.workflow({ id: 'w', triggers: [paid, { cron: '@daily' }], retry: { maxAttempts: 2 } }, async ({ event, step }) => {
  const cents: number = event.name === 'paid' ? event.data.cents : 0;
  const at: string = await step.run('a', () => new Date());
  const waited = await step.waitForEvent('b', { event: sent, timeout: '1d' });
  return { cents, at, parcel: waited?.data.parcel };
});
// @ts-expect-error a misspelt guard
hf.workflow({ id: 'x', triggers: [{ event: 'a', iff: 'true' }] }, () => null);
// @ts-expect-error data of another type
void hf.events.send({ name: sent, data: { parcel: 1 } });
void hf.workflows.trigger(w, { input: { cents: 1 } });
const typed = hf.workflow({ id: 'typed', triggers: [paid] }, ({ event }) => event.data.cents);
export async function tested(): Promise<string | undefined> {
  const t = await testRun(w, { event: { data: { cents: 1 } }, steps: { a: perAttempt(new Error('no'), new Date()) } });
  await t.advance('1d');
  await t.send({ name: sent, data: { parcel: 'p' } });
  // @ts-expect-error data of another type
  void t.send({ name: sent, data: { parcel: 1 } });
  // @ts-expect-error data of another type
  void testRun(typed, { event: { data: { cents: '1' } } });
  return t.result.parcel;
}
export const all = [durable, toNodeHandler(serve(hf)), protocolVersion, verifyWebhook];
`;

let packed: Packed;
beforeAll(async () => {
  packed = await packSdk();
});
afterAll(() => packed[Symbol.asyncDispose]());

async function compile(version: string, name: string, files: Record<string, string>, options: object) {
  const folder = join(packed.folder, name);
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const compilerOptions = { target: 'es2022', strict: true, noEmit: true, types: ['node'], ...options };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
  return call(process.execPath, [compilerOf(version), '-p', folder, '--pretty', 'false']);
}

it.each([
  { version: '5.4', module: 'nodenext', isAccepted: false },
  { version: '7.0', module: 'node16', isAccepted: false },
  { version: '5.9', module: 'nodenext', isAccepted: true },
  { version: '7.0', module: 'nodenext', isAccepted: true },
])('a CommonJS module imports the packed SDK statically or not: $version $module', async (scene) => {
  const { version, module, isAccepted } = scene;
  const library = { module, moduleResolution: module, skipLibCheck: true };
  const head = { 'package.json': '{"type":"commonjs"}' };
  const load = `import { Holdfast } from '@holdfast/sdk';\nexport const hf = new Holdfast();\n`;
  const { output } = await compile(version, `cjs-${version}-${module}`, { ...head, 'a.ts': load }, library);
  expect(output).toMatch(isAccepted ? /^$/ : /error TS1479/);
  const later = `export const hf = import('@holdfast/sdk').then(({ Holdfast }) => new Holdfast());\n`;
  const dynamic = await compile(version, `dyn-${version}-${module}`, { ...head, 'a.ts': later }, library);
  expect(dynamic).toEqual({ code: 0, output: '' });
});

describe.each(versions)('with TypeScript %s, the packed SDK', (version) => {
  it('is the compiler that is meant', async () => {
    const { output } = await call(process.execPath, [compilerOf(version), '--version']);
    expect(output).toContain(`Version ${version}.`);
  });

  it.each(modules)('compiles in a consumer with $moduleResolution', async (options) => {
    const files = { 'consumer.ts': consumer, 'package.json': '{"type":"module"}' };
    // Checking all declarations takes most of the time, and does not depend on the resolution.
    // The compiler's own declarations would take half of it.
    const libraryChecks = {
      skipLibCheck: options.module !== 'nodenext',
      skipDefaultLibCheck: true,
      exactOptionalPropertyTypes: true,
    };
    const name = `esm-${version}-${options.moduleResolution}`;
    expect(await compile(version, name, files, { ...options, ...libraryChecks })).toEqual({ code: 0, output: '' });
  });
});
