import { Validator } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/mcp/tools/index.ts';
import { insertRun } from '../schema/fixtures.ts';
import { type McpServer, startMcp } from './mcpServer.ts';
import { type Stuffed, stuff } from './stuffed.ts';

let mcp: McpServer;
let stuffed: Stuffed;
beforeAll(async () => {
  mcp = await startMcp();
  stuffed = await stuff(mcp);
});
afterAll(() => mcp.close());

const all = { search: 'toolsets=all' };
const reads = tools.filter(({ isWrite, toolset }) => !isWrite && toolset !== 'docs');
const bytesOf = (result: { content: { text: string }[] }): number =>
  result.content.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/** The data block of an answer, without its fence. */
const dataOf = (result: { content: { text: string }[] }): string => String(result.content[1]?.text.split('\n')[1]);

describe.each(reads.map(({ name }) => name))('%s', (name) => {
  it('answers within every bound, in two blocks, with data that fit its schema', async () => {
    const tool = reads.find((each) => each.name === name);
    const validator = new Validator(JSON.parse(JSON.stringify(tool?.outputSchema)), '2020-12', false);
    const given = stuffed.calls[name];
    expect(given, 'the test knows arguments for each tool').toBeDefined();
    for (const maxBytes of [undefined, 1_024, 1_500, 4_000, 9_000, 131_072]) {
      // A cursor of this list holds the name of a runner, which cannot be shortened.
      const result = await mcp.tool(name, { ...given, ...(maxBytes && { maxBytes }) }, all);
      expect(result, JSON.stringify(result).slice(0, 300)).not.toHaveProperty('isError');
      expect(result.content).toHaveLength(2);
      expect(bytesOf(result)).toBeLessThanOrEqual(maxBytes ?? 32_768);
      const { valid, errors } = validator.validate(result.structuredContent);
      expect(valid, `${maxBytes}: ${JSON.stringify(errors.slice(0, 5))}`).toBe(true);
      expect(JSON.parse(dataOf(result))).toEqual(result.structuredContent);
    }
  });
});

describe('payloads', () => {
  it('keep their types, and are named where they are shortened', async () => {
    const { structuredContent } = await mcp.tool('get_run', { id: stuffed.runId });
    const { input, abridged } = structuredContent;
    expect(input).toMatchObject({ n: '12345678901234567890', huge: '1e400', zero: '-0' });
    expect(input.text).toHaveLength(1024 + 1 + input.text.split('\\u200b').length * 5 - 5);
    expect(input.list).toHaveLength(20);
    expect(Object.keys(input)).toHaveLength(50);
    const owner = { runId: stuffed.runId };
    expect(abridged).toEqual(
      expect.arrayContaining([
        { ...owner, path: '/input', bytes: Buffer.byteLength(stuffed.input) },
        expect.objectContaining({ ...owner, path: '/input/text' }),
        expect.objectContaining({ ...owner, path: '/input/list' }),
        expect.objectContaining({ ...owner, path: '/error/stack' }),
      ]),
    );
  });

  it('that are small are whole', async () => {
    const id = await insertRun(mcp.engine, mcp.projectId, {
      status: 'succeeded',
      input: '{"a":[1,"x",null]}',
      result: 'null',
    });
    const { structuredContent } = await mcp.tool('get_run', { id });
    expect(structuredContent).toMatchObject({ input: { a: [1, 'x', null] }, result: null });
    expect(structuredContent).not.toHaveProperty('abridged');
  });
});

describe('read_payload', () => {
  /** Puts the pieces of a value together. */
  const readWhole = async (given: object): Promise<string> => {
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { structuredContent, isError } = await mcp.tool('read_payload', { ...given, offset }, all);
      expect(isError, JSON.stringify(structuredContent)).toBeUndefined();
      text += structuredContent.piece;
      offset = structuredContent.nextOffset;
    }
    return text;
  };

  it('gives the stored text by pieces that are equal to it byte for byte', async () => {
    expect(await readWhole({ runId: stuffed.runId, path: '/input' })).toBe(stuffed.input);
    expect(await readWhole({ runId: stuffed.runId, path: '/input/text', maxBytes: 9_000 })).toBe(
      JSON.stringify(JSON.parse(stuffed.input).text),
    );
  });

  it('keeps numbers, keys and spaces as they are stored', async () => {
    const at = (path: string) => readWhole({ runId: stuffed.runId, path });
    expect(await at('/input/n')).toBe('12345678901234567890');
    expect(await at('/input/zero')).toBe('-0');
    expect(await at('/input/__proto__')).toBe('{"x":1}');
    expect(await at('/input/a~1b~0c')).toMatch(/^\{ "d": "/);
  });

  it('takes every path that an answer names with its owner', async () => {
    let taken = 0;
    for (const { name } of reads.filter(({ name }) => name !== 'read_payload')) {
      for (const maxBytes of [2_000, 32_768]) {
        const { structuredContent } = await mcp.tool(name, { ...stuffed.calls[name], maxBytes }, all);
        for (const { bytes, ...place } of structuredContent.abridged ?? []) {
          if (Object.keys(place).length === 1) continue;
          const answer = await mcp.tool('read_payload', place, all);
          expect(answer, `${name}: ${JSON.stringify(place)}`).not.toHaveProperty('isError');
          expect(answer.structuredContent.bytes, `${name}: ${JSON.stringify(place)}`).toBe(bytes);
          taken += 1;
        }
      }
    }
    expect(taken).toBeGreaterThan(50);
  });

  it.each([
    [{ path: '/input' }, 'name one owner: runId, eventId, approvalId, deliveryId, sourceDeliveryId'],
    [
      { runId: 'x', eventId: 'y', path: '/input' },
      'name one owner: runId, eventId, approvalId, deliveryId, sourceDeliveryId',
    ],
    [{ runId: 'x', path: 'input' }, 'path must be a JSON pointer, such as /input/items/3'],
    [{ runId: 'x', path: '/input' }, 'run not found'],
    [{ runId: 'x', path: '/steps/a' }, 'path: a step is named by its index and attempt, such as /steps/3.1/output'],
    [{ runId: 'x', path: '/input', offset: -1 }, 'offset must be an integer from 0'],
  ])('refuses %j', async (given, error) => {
    expect(await mcp.tool('read_payload', given)).toMatchObject({ isError: true, structuredContent: { error } });
  });

  it('answers the same for values that are not there', async () => {
    for (const path of [
      '/input/none',
      '/input/list/500',
      '/input/list/01',
      '/result',
      '/steps/9.1/output',
      '/logs/99/fields',
      '/input/n/x',
    ])
      expect(await mcp.tool('read_payload', { runId: stuffed.runId, path }), path).toMatchObject({
        isError: true,
        structuredContent: { error: 'payload not found', code: 'NOT_FOUND' },
      });
  });
});

describe('list_run_steps', () => {
  it('shows the skeleton: no payload, and of an error the first line', async () => {
    const { steps } = (await mcp.tool('list_run_steps', { id: stuffed.runId })).structuredContent;
    expect(steps).toHaveLength(6);
    for (const step of steps) for (const payload of ['input', 'output', 'ai']) expect(step).not.toHaveProperty(payload);
    expect(steps[1]).toMatchObject({
      index: 0,
      attempt: 2,
      status: 'failed',
      error: { name: 'Error', message: 'it broke' },
    });
    expect(steps[1].error).not.toHaveProperty('stack');
  });

  it('shows payloads that it is asked for, of one step by name or index', async () => {
    const byIndex = await mcp.tool('list_run_steps', { id: stuffed.runId, step: 1, include: ['output'] });
    const shown = byIndex.structuredContent.steps;
    expect(shown.map(({ index }: { index: number }) => index)).toEqual([1, 1]);
    expect(shown[0].output).toMatchObject({ zero: '-0' });
    expect(shown[0]).not.toHaveProperty('input');
    expect(shown[1].error).toHaveProperty('stack');
    const { name } = shown[0];
    const byName = await mcp.tool('list_run_steps', { id: stuffed.runId, step: name, include: ['output'] });
    expect(byName.structuredContent).toEqual(byIndex.structuredContent);
    expect(
      (await mcp.tool('list_run_steps', { id: stuffed.runId, step: 'no\u0000ne' })).structuredContent.steps,
    ).toEqual([]);
  });

  it.each([
    [{ include: ['error'] }, 'include must be a list of input, output, ai'],
    [{ step: 1.5 }, 'step must be the name of a step, or its index'],
    [{ limit: 101 }, 'limit must be an integer from 1 to 100'],
    [{ maxBytes: 1 }, 'maxBytes must be an integer from 1024 to 131072'],
  ])('refuses %j', async (given, error) => {
    expect(await mcp.tool('list_run_steps', { id: stuffed.runId, ...given })).toMatchObject({
      isError: true,
      structuredContent: { error },
    });
  });
});
