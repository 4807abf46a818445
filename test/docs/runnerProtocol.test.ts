import { readFile } from 'node:fs/promises';
import { closeCodes, opcodeKinds } from '@holdfast/sdk/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifySignature } from '../../sdk/src/serve/signature.ts';
import { execute } from '../../src/engine/passes/opcodes/index.ts';
import { defaultRetry } from '../../src/engine/registry/index.ts';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { sign } from '../../src/engine/signing/index.ts';

let page: string;
let protocol: string;
const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

beforeAll(async () => {
  page = await read('docs/runner-protocol.md');
  protocol = await read('sdk/src/protocol.ts');
});

/** The fields of the protocol's interfaces, from its source. */
function fieldsOf(source: string): string[] {
  const interfaces = [...source.matchAll(/^export interface \w+.*?\{\n(.*?)^\}/gms)].map(([, body]) => body ?? '');
  const fields = interfaces.flatMap((body) => [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name ?? ''));
  return [...new Set(fields)];
}

function isUnsupported(op: string): boolean {
  const step = { op, stepId: 'a', name: 'a', index: 0, attempt: 1, fields: {}, raw: () => undefined, elapsedMs: 0 };
  const rules = { retry: defaultRetry, limits: defaultEngineSettings.limits, targets: { allowPrivate: false } };
  return execute({ ...step, ...rules }, 'default').step.error?.includes('UnsupportedOpcodeError') ?? false;
}

describe('the page for authors of runners', () => {
  it('names every field of every frame, request, answer and opcode', () => {
    const fields = fieldsOf(protocol);
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter((field) => !new RegExp(`[\`"{. ,]${field}\\b`).test(page))).toEqual([]);
  });

  it('names every field of a model request, its parts and its memo', async () => {
    const source = await read('sdk/src/ai/inferData.ts');
    const parts = [...source.matchAll(/type: '(\w+)'([^\n]*)/g)];
    expect(parts).toHaveLength(6);
    const fields = parts.flatMap(([, type, rest = '']) => [
      `"type":"${type}"`,
      ...[...rest.matchAll(/(\w+)\??:/g)].map(([, name]) => `"${name}"`),
    ]);
    for (const field of fields) expect(page).toContain(field);
    expect(fieldsOf(source).filter((field) => !new RegExp(`[\`"{. ,]${field}\\b`).test(page))).toEqual([]);
  });

  it('names every frame, every opcode, every status and every close code', async () => {
    const frames = [...protocol.matchAll(/^ {2}type: '(\w+)';/gm)].map(([, type]) => `"type":"${type}"`);
    expect(frames).toHaveLength(13);
    const codes = [...Object.values(closeCodes), 1011, 1006].map((code) => `\`${code}\``);
    const policies = fieldsOf(await read('sdk/src/flowControl.ts').then((text) => text.split('}\n', 1)[0] ?? ''));
    for (const word of [...frames, ...opcodeKinds, ...codes, ...policies, '`200`', '`206`', '`500`'])
      expect(page).toContain(word);
  });

  it('names only opcodes that the service executes', () => {
    expect(opcodeKinds.filter((op) => isUnsupported(op))).toEqual([]);
  });

  it('signs its example as the service does, and the SDK takes it', () => {
    const [, secret = '', t = '', body = '', s] =
      /secret `(.*?)`, at `t=(\d+)`, the body\s+`(.*?)` has\s+`s=(\w+)`/.exec(page) ?? [];
    const header = `t=${t}&s=${s}`;
    expect(sign([secret], Buffer.from(body), Number(t))).toBe(header);
    expect(verifySignature(header, Buffer.from(body), secret, Number(t) * 1000)).toBe('valid');
  });
});
