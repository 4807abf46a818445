import { beforeAll, describe, expect, it } from 'vitest';
import { HoldfastError } from '../../src/engine/errors.ts';
import { newId } from '../../src/engine/ids.ts';
import { prepare, run, subscribeTo, toGraphqlError } from '../../src/schema/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, insertFrame, insertRun, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

const context = () => contextOf(test.engine, secretKey(projectId));

describe('in-process', () => {
  it.each(['{ nope }', '{ run( }', 'query ($id: Int) { run(id: $id) { id } }'])(
    'a mistake in %s is told at once',
    (document) => {
      expect(() => prepare(document)).toThrow();
    },
  );

  it('the error of the engine comes out as it was thrown', async () => {
    const document = prepare('mutation ($id: ID!) { cancelRun(input: { runId: $id }) { run { id } } }');
    const { data, error } = await run(document, { id: newId() }, context());
    expect(data).toEqual({ cancelRun: null });
    expect(error).toBeInstanceOf(HoldfastError);
    expect(error).toMatchObject({ kind: 'notFound' });
  });

  it('a subscription is refused by throwing, and ends when it is left while it waits', async () => {
    const document = prepare('subscription ($id: ID!) { runFrames(runId: $id) { seq } }');
    await expect(subscribeTo(document, { id: newId() }, context())).rejects.toMatchObject({ kind: 'notFound' });

    const id = await insertRun(test.engine, projectId, { status: 'running' });
    await insertFrame(test.engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    const results = await subscribeTo(document, { id }, context());
    expect(await results.next()).toEqual({ done: false, value: { data: { runFrames: { seq: 1 } } } });
    const waiting = results.next();
    await results.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

describe('instants', () => {
  const since = (value: string) =>
    query(test.engine, secretKey(projectId), 'query ($s: DateTime) { runs(filter: { since: $s }) { nodes { id } } }', {
      s: value,
    });

  it.each(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456+02:00', '2024-02-29t00:00:00z'])(
    '%s is one',
    async (value) => {
      await expect(since(value)).resolves.toBeDefined();
    },
  );

  it.each([
    '',
    '2026-01-01',
    'yesterday',
    '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T00:00:00',
    '1',
  ])('%j is none', async (value) => {
    await expect(since(value)).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('errors', () => {
  const masked: unknown[] = [];
  const shown = (error: unknown) => toGraphqlError(error, (each) => masked.push(each)).toJSON();

  it.each([
    ['unauthenticated', 'UNAUTHENTICATED'],
    ['forbidden', 'FORBIDDEN'],
    ['suspended', 'FORBIDDEN'],
    ['invalid', 'BAD_USER_INPUT'],
    ['notFound', 'NOT_FOUND'],
    ['conflict', 'CONFLICT'],
    ['noRunner', 'NO_RUNNER'],
    ['notConfigured', 'NOT_CONFIGURED'],
  ] as const)('%s is %s, with its text', (kind, code) => {
    expect(shown(new HoldfastError(kind, 'why'))).toEqual({ message: 'why', extensions: { code } });
  });

  it('all else is an internal error, and is handed to the log', () => {
    const error = new Error('detail');
    expect(shown(error)).toEqual({ message: 'internal error', extensions: { code: 'INTERNAL' } });
    expect(masked).toContain(error);
  });

  it('a value that no enum knows is a fault of ours, not of the caller', async () => {
    const id = await insertRun(test.engine, projectId, { pausedReason: 'weather' });
    const document = prepare('query ($id: ID!) { run(id: $id) { pausedBy { reason } } }');
    const { error } = await run(document, { id }, context());
    expect(error).not.toBeInstanceOf(HoldfastError);
    expect(shown(error)).toMatchObject({ message: 'internal error' });
  });
});
