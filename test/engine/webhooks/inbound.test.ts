import { describe, expect, test } from 'vitest';
import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { updateSource } from '../../../src/engine/webhooks/config/index.ts';
import { openInbox, type Receipt, receiveMessage } from '../../../src/engine/webhooks/inbound/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';
import { createTestSource, serviceHeaders, type TestSource } from '../../support/webhookSources.ts';

const scene = useEngine();
const here = { isGone: () => false, whenOver: () => undefined };
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

async function send(
  engine: EngineContext,
  { token, secret }: TestSource,
  text = '{"id":1}',
  more: Record<string, string> = {},
): Promise<Receipt> {
  const inbox = await openInbox(engine, token, here);
  if (!inbox) return { kind: 'unknown' };
  const body = Buffer.from(text);
  const headers = Object.entries({ ...serviceHeaders(secret, body), ...more });
  return receiveMessage(engine, inbox.question, { headers, body });
}

describe('the runner', () => {
  test('gets the headers that the source exposes, and continues the trace of the sender', async () => {
    const { projectId, dispatcher } = await openScene(scene, () => complete(null));
    const source = await createTestSource(scene.engine, projectId, { eventName: 'flow', exposeHeaders: ['x-topic'] });
    await send(scene.engine, source, '{"id":1}', { 'X-Topic': 'paid', traceparent });
    expect(await dispatcher.runOnce()).toBe(1);
    const [request] = dispatcher.requests;
    expect(request?.event).toMatchObject({ name: 'flow', data: { id: 1 }, headers: { 'x-topic': 'paid' } });
    expect(request?.ctx.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/);
    expect(request?.ctx.traceparent).not.toBe(traceparent);
  });

  test('gets neither from other events', async () => {
    const { start, dispatcher } = await openScene(scene, () => complete(null));
    await start();
    await dispatcher.runOnce();
    expect(dispatcher.requests[0]?.event).not.toHaveProperty('headers');
    expect(dispatcher.requests[0]?.ctx.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  test('that waits is woken by a message, with its headers, by a guard on them', async () => {
    const wait = { op: 'WaitForEvent', name: 'w', eventName: 'paid', eventIf: 'event.headers["x-topic"] == "a"' };
    const { projectId, dispatcher, start } = await openScene(scene, (request) => {
      const memo = memoOf(request, 'w');
      return memo && 'data' in memo ? complete(memo.data) : steps([wait as Parameters<typeof steps>[0][number]]);
    });
    const runId = await start();
    await dispatcher.runOnce();
    const source = await createTestSource(scene.engine, projectId, { eventName: 'paid', exposeHeaders: ['x-topic'] });
    await send(scene.engine, source, '{"n":1}', { 'x-topic': 'b' });
    await send(scene.engine, source, '{"n":2}', { 'x-topic': 'a' });
    await expect.poll(() => dispatcher.runOnce()).toBe(1);
    const run = await scene.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
    expect(run).toMatchObject({
      status: 'succeeded',
      result: { name: 'paid', data: { n: 2 }, headers: { 'x-topic': 'a' } },
    });
  });

  test('gets the headers of each message of a batch', async () => {
    const workflow = { name: 'flow', batch: { maxSize: 2, timeoutMs: 60_000 } };
    const { projectId, dispatcher } = await openScene(scene, () => complete(null), workflow);
    const source = await createTestSource(scene.engine, projectId, { eventName: 'flow', exposeHeaders: ['x-n'] });
    await send(scene.engine, source, '1', { 'x-n': 'one' });
    await send(scene.engine, source, '2', { 'x-n': 'two' });
    await flushDueBuffers(scene.engine);
    await dispatcher.runOnce();
    expect(dispatcher.requests[0]?.events).toMatchObject([
      { headers: { 'x-n': 'one' } },
      { headers: { 'x-n': 'two' } },
    ]);
  });
});

describe('a source that changes while a message is on its way', () => {
  /** Lets something happen right before the next transaction that records a message. */
  const beforeWrite = (act: () => Promise<unknown>): EngineContext => {
    const { db } = scene.engine;
    let isDue = true;
    const transaction: typeof db.transaction = async (work) => {
      if (isDue) {
        isDue = false;
        await act();
      }
      return db.transaction(work);
    };
    return { ...scene.engine, db: { ...db, transaction } };
  };

  const change = (source: TestSource, settings: object) => () =>
    updateSource(scene.engine, { projectId: source.projectId, actor: 'a test', id: source.id, ...settings });
  const recorded = ({ id }: TestSource) => scene.db.prisma.webhookSourceDelivery.findMany({ where: { sourceId: id } });

  test('is obeyed in its new form: nothing is written by the old one', async () => {
    const { projectId } = await openScene(scene, () => complete(null));
    const source = await createTestSource(scene.engine, projectId);
    const receipt = await send(beforeWrite(change(source, { eventName: 'renamed' })), source);
    expect(receipt).toMatchObject({ kind: 'accepted', status: 'ingested' });
    expect(await recorded(source)).toHaveLength(1);
    const events = await scene.db.prisma.event.findMany({ where: { projectId } });
    expect(events.map(({ name }) => name)).toEqual(['renamed']);
  });

  test('and is disabled leaves neither a delivery nor an event', async () => {
    const { projectId } = await openScene(scene, () => complete(null));
    const source = await createTestSource(scene.engine, projectId);
    expect(await send(beforeWrite(change(source, { enabled: false })), source)).toEqual({ kind: 'unknown' });
    expect(await recorded(source)).toEqual([]);
    expect(await scene.db.prisma.event.count({ where: { projectId } })).toBe(0);
  });

  test('and revokes the secret refuses the message that was verified by it', async () => {
    const { projectId } = await openScene(scene, () => complete(null));
    const source = await createTestSource(scene.engine, projectId);
    const revoke = change(source, { rotateSecret: true, revokePrevious: true });
    expect(await send(beforeWrite(revoke), source)).toMatchObject({
      kind: 'refused',
      failureReason: 'signature_mismatch',
    });
    expect(await scene.db.prisma.event.count({ where: { projectId } })).toBe(0);
  });
});

test('messages of one source take turns among themselves, like the requests of a key', async () => {
  const projectId = (await openScene(scene, () => complete(null))).projectId;
  const source = await createTestSource(scene.engine, projectId);
  const overs: (() => void)[] = [];
  const caller = { isGone: () => false, whenOver: (then: () => void) => void overs.push(then) };
  const { requestsPerKey } = scene.engine.settings.limits;
  for (let n = 0; n < requestsPerKey; n += 1) await openInbox(scene.engine, source.token, caller);
  let hasBegun = false;
  const next = openInbox(scene.engine, source.token, here).then(() => {
    hasBegun = true;
  });
  const other = await createTestSource(scene.engine, projectId);
  expect(await openInbox(scene.engine, other.token, here)).toBeDefined();
  expect(hasBegun).toBe(false);
  overs[0]?.();
  await next;
  expect(hasBegun).toBe(true);
});

test('an unknown token is looked up once, and remembered for a while', async () => {
  const token = 'n'.repeat(43);
  const { db } = scene.engine;
  const asked: string[] = [];
  const query = ((...args: unknown[]) => {
    const [first] = args;
    if (typeof first === 'object' && first !== null && 'name' in first) asked.push(String(first.name));
    return Reflect.apply(db.query, db, args);
  }) as typeof db.query;
  const engine = { ...scene.engine, db: { ...db, query } };
  for (let n = 0; n < 5; n += 1) expect(await openInbox(engine, token, here)).toBeUndefined();
  expect(asked).toEqual(['findMessageSources']);
});
