import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import {
  cacheKeyOf,
  forgetCached,
  keepCached,
  maxCachedBytes,
  parseInferRequest,
  readCached,
} from '../../../src/engine/inference/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const clock = new ManualClock();
const cacheMaxBytes = 1_000;
const site = useEngine({
  clock,
  settings: { inference: { ...defaultEngineSettings.inference, cacheMaxBytes, cacheTtlMs: 60_000 } },
});

const ask = { model: 'm', prompt: 'p', temperature: 0 };
const requestOf = (data: object) => parseInferRequest({ ...ask, ...data }).request;

let projectId = '';
beforeEach(async () => {
  await site.db.query('truncate inference_cache');
  projectId = await createTestProject(site.engine);
});

const keyOf = (data: object, { project = projectId, baseUrl }: { project?: string; baseUrl?: string } = {}) =>
  cacheKeyOf(site.engine, { projectId: project, baseUrl, request: requestOf(data) }).toString('hex');
const refOf = (name: string) => ({ projectId, key: Buffer.from(keyOf({ prompt: name }), 'hex') });
const sized = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

describe('the key of an answer', () => {
  test('is the same for equal requests, however their fields are ordered', () => {
    const schema = { type: 'object', properties: { a: true } };
    const turned = { properties: { a: true }, type: 'object' };
    expect(keyOf({ schema })).toBe(keyOf({ schema: turned }));
    expect(keyOf({})).toBe(keyOf({ prompt: undefined, messages: [{ role: 'user', content: 'p' }] }));
  });

  test('is the same whatever the price, and whatever is said of the cache', () => {
    expect(keyOf({ price: { input: 1, output: 1 }, cache: true })).toBe(keyOf({}));
  });

  test('differs with every other field, and with the base URL', () => {
    const others: object[] = [
      { model: 'n' },
      { provider: 'openai' },
      { prompt: 'q' },
      { system: 's' },
      { temperature: 0.1 },
      { maxTokens: 1 },
      { topP: 0.5 },
      { stop: ['x'] },
      { seed: 1 },
      { schema: {} },
      { options: { a: 1 } },
      { reasks: 0 },
      { onUnknown: 'fail' },
    ];
    const keys = [keyOf({}), keyOf({}, { baseUrl: 'https://a.example' }), ...others.map((data) => keyOf(data))];
    expect(new Set(keys).size).toBe(others.length + 2);
    expect(keyOf({ options: { a: [['b', 1]] } })).not.toBe(keyOf({ options: { a: { b: 1 } } }));
  });

  test('differs between projects', async () => {
    const project = await createTestProject(site.engine);
    expect(keyOf({}, { project })).not.toBe(keyOf({}));
  });
});

describe('the kept answers', () => {
  test('are found under their key, and in their project only', async () => {
    await keepCached(site.engine, refOf('a'), '{"text":"1"}');
    expect(await readCached(site.engine, refOf('a'))).toBe('{"text":"1"}');
    expect(await readCached(site.engine, refOf('b'))).toBeUndefined();
    const other = await createTestProject(site.engine);
    expect(await readCached(site.engine, { ...refOf('a'), projectId: other })).toBeUndefined();
  });

  test('expire, and are deleted in pages', async () => {
    for (const name of ['a', 'b', 'c']) await keepCached(site.engine, refOf(name), '1');
    clock.advance(59_999);
    expect(await readCached(site.engine, refOf('a'))).toBe('1');
    await keepCached(site.engine, refOf('c'), '2');
    clock.advance(1);
    expect(await readCached(site.engine, refOf('a'))).toBeUndefined();
    expect(await forgetCached(site.engine, 1)).toEqual({ forgotten: 1, full: true });
    expect(await forgetCached(site.engine, 2)).toEqual({ forgotten: 1, full: false });
    expect(await site.db.prisma.inferenceCache.count({ where: { projectId } })).toBe(1);
    expect(await readCached(site.engine, refOf('c'))).toBe('2');
  });

  test('stay within the bound of their project: the least recently used goes first', async () => {
    for (const name of ['a', 'b', 'c']) {
      await keepCached(site.engine, refOf(name), sized(330));
      clock.advance(1);
    }
    await readCached(site.engine, refOf('a'));
    clock.advance(1);
    await keepCached(site.engine, refOf('d'), sized(330));
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((name) => readCached(site.engine, refOf(name))));
    expect(found.map((text) => text !== undefined)).toEqual([true, false, true, true]);
  });

  test('count against their own project only', async () => {
    await keepCached(site.engine, refOf('a'), sized(900));
    const first = refOf('a');
    projectId = await createTestProject(site.engine);
    await keepCached(site.engine, refOf('a'), sized(900));
    expect(await readCached(site.engine, first)).toBeDefined();
  });

  test('are not larger than the bound, nor than 256 KiB', async () => {
    await keepCached(site.engine, refOf('a'), sized(cacheMaxBytes + 1));
    expect(await readCached(site.engine, refOf('a'))).toBeUndefined();
    expect(maxCachedBytes).toBe(262_144);
  });
});
