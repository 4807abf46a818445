import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeyPermits } from '../../src/engine/keys/keyPermits.ts';
import { KeyTurns } from '../../src/engine/keys/keyTurns.ts';
import { Operation } from '../../src/engine/operation.ts';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { createSchemaContext } from '../../src/schema/index.ts';
import { getText, sendAtOnce } from '../http/pipelined.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { countWaiting, whileReadsWait } from './heldReads.ts';
import { type RestServer, startRest } from './restServer.ts';

const { limits } = defaultEngineSettings;
let rest: RestServer;
let other: string;
beforeEach(async () => {
  rest = await startRest({ settings: { limits: { ...limits, operationsAtOnce: 4, operationsQueued: 10 } } });
  other = (await rest.stranger()).secret;
});
afterEach(() => rest.close());

test('a project whose statements all wait leaves connections to others, also to keys not seen before', async () => {
  const calls: Promise<unknown>[] = [];
  await whileReadsWait(rest, async (holder) => {
    for (let n = 0; n < 12; n += 1) calls.push(rest.call('GET', '/runs?limit=1'));
    await expect.poll(() => countWaiting(holder)).toBe(2);
    expect(await rest.call('GET', '/events', undefined, { key: other })).toMatchObject({ status: 200 });
    const newcomer = (await rest.stranger()).secret;
    expect(await rest.call('GET', '/workflows', undefined, { key: newcomer })).toMatchObject({ status: 200 });
  });
  for (const call of calls) expect(await call).toMatchObject({ status: 200 });
});

test('one operation that sends many statements leaves connections to others', async () => {
  const { engine } = new Operation(rest.engine, rest.projectId);
  const reads: Promise<unknown>[] = [];
  await whileReadsWait(rest, async (holder) => {
    for (let n = 0; n < 12; n += 1) reads.push(engine.db.query('select count(*) from run'));
    await expect.poll(() => countWaiting(holder)).toBe(6);
    expect(await rest.call('GET', '/events', undefined, { key: other })).toMatchObject({ status: 200 });
    expect(await rest.call('GET', '/workflows', undefined, { key: other })).toMatchObject({ status: 200 });
  });
  await Promise.all(reads);
  expect(rest.engine.turns.connections.held).toBe(0);
});

/** The statements of reads of runs from now on, by name or text. */
function watchReads(): string[] {
  const read: string[] = [];
  const { query } = rest.engine.db;
  rest.engine.db.query = ((config: { name?: string; text?: string }) => {
    if (/\bfrom run\b/.test(config.text ?? '')) read.push(config.name ?? 'list');
    return Reflect.apply(query, rest.engine.db, [config]);
  }) as typeof query;
  return read;
}

test('a caller who has gone is not worked for: operations that wait for their turn are dropped', async () => {
  const { operations } = rest.engine.turns;
  await rest.call('GET', '/events');
  const read = watchReads();
  const list = getText('/runs?limit=1', { Authorization: `Bearer ${rest.keys.secret}` });
  await whileReadsWait(rest, async () => {
    const client = await sendAtOnce(rest.url, Array<string>(12).fill(list));
    await expect.poll(() => operations.waiting).toBe(10);
    client.destroy();
    await expect.poll(() => operations.waiting).toBe(0);
  });
  await expect.poll(() => operations.held).toBe(0);
  expect(read.length).toBe(2);
});

test('an operation beyond the queue of its project is refused, and may be sent again', async () => {
  const { operations } = rest.engine.turns;
  await whileReadsWait(rest, async () => {
    const calls = Array.from({ length: 12 }, () => rest.call('GET', '/runs?limit=1'));
    await expect.poll(() => operations.waiting).toBe(10);
    const refused = await rest.call('POST', '/events', { name: 'e' });
    expect(refused).toMatchObject({ status: 503, body: { error: expect.stringContaining('too many requests') } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await rest.call('GET', '/events', undefined, { key: other })).toMatchObject({ status: 200 });
    return calls;
  }).then((calls) => Promise.all(calls));
  expect(await rest.call('POST', '/events', { name: 'e' })).toMatchObject({ status: 202 });
});

test('a caller who waits for the end of a run holds no turn', async () => {
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'flow' }]);
  const id = (await rest.call('POST', '/workflows/default/flow/trigger')).body.runId;
  const read = watchReads();
  const waits = Array.from({ length: 3 }, () => rest.call('GET', `/runs/${id}?wait=30000`));
  await expect.poll(() => read.filter((name) => name === 'findRunStatus').length).toBe(3);
  await expect.poll(() => rest.engine.turns.operations.held).toBe(0);
  await rest.call('POST', `/runs/${id}/cancel`);
  for (const wait of waits) expect(await wait).toMatchObject({ status: 200, body: { status: 'cancelled' } });
});

test('a caller whose wait has ended takes no turn before its place among the requests of its key', async () => {
  const caller = { keyId: 'k' };
  const keyTurns = new KeyTurns({ atOnce: 2, maxWaiting: 2, waitMs: 60_000, permits: new KeyPermits(2) });
  const contexts = (): ReturnType<typeof createSchemaContext>[] =>
    Array.from({ length: 2 }, () => {
      const principal = { kind: 'secret', keyId: 'k', keyName: 'k', projectId: rest.projectId } as const;
      return createSchemaContext({ engine: rest.engine, principal, via: 'rest', turn: keyTurns.open(caller) });
    });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { operations } = rest.engine.turns;
  const waits = contexts().map((context) => context.atTurn(() => context.whileIdle(() => ended)));
  await expect.poll(() => operations.held).toBe(0);
  const later = contexts();
  end();
  await new Promise((resolve) => setImmediate(resolve));
  for (const context of later) {
    await context.atTurn(async () => undefined);
    context.turn?.end();
  }
  await Promise.all(waits);
  expect(operations.held).toBe(0);
});
