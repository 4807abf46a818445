import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Holdfast } from '../../sdk/src/index.ts';
import { FlowSite, Hold, waitLimits } from './flowSite.ts';

/** The policies that decide about starts, as users see them. */
let site: FlowSite;
const hold = new Hold();

const hour = 3_600_000;
const everything = {
  concurrency: { limit: 5, key: 'customer.region' },
  throttle: { limit: 3, perMs: 1_000 },
  rateLimit: { limit: 100, perMs: 60_000, key: 'customer.id' },
  debounce: { periodMs: 250, key: 'a.b' },
  batch: { maxSize: 10, timeoutMs: 500 },
  priority: { shiftMs: -5_000 },
  singleton: { key: 'customer.id', mode: 'skip' as const },
  idempotency: { key: 'order' },
  cap: { maxTokens: 1_000, maxCost: 0.5 },
  budget: { maxCost: 10, windowMs: 60_000, warnAtPct: 80 },
  tokenThrottle: { tokens: 5_000, perMs: 60_000, key: 'customer.id' },
};

beforeAll(async () => {
  site = await FlowSite.open();
  const { hf } = site;
  const nothing = () => undefined;
  const holding = ({ event }: { event: { data: unknown } }) => hold.enter(String((event.data as { k?: string }).k));
  hf.workflow({ id: 'everything', triggers: [{ event: 'never' }], ...everything }, nothing);
  hf.workflow({ id: 'bare' }, nothing);
  hf.workflow({ id: 'defaults', singleton: {}, idempotency: {} }, nothing);
  hf.workflow({ id: 'limited', rateLimit: { limit: 2, perMs: hour, key: 'k' } }, nothing);
  hf.workflow({ id: 'once', triggers: [{ event: 'paid' }], idempotency: { key: 'order' } }, nothing);
  hf.workflow({ id: 'waiter' }, ({ step }) => step.waitForEvent('paid', { event: 'paid', timeout: hour }));
  hf.workflow({ id: 'first', singleton: { key: 'k', mode: 'skip' } }, holding);
  hf.workflow({ id: 'newest', singleton: { key: 'k' } }, holding);
  hf.workflow({ id: 'paced', throttle: { limit: 5, perMs: 1_000 } }, nothing);
  hf.workflow({ id: 'slow', throttle: { limit: 1, perMs: hour } }, nothing);
  await site.connect(hf, 'r1');
}, 120_000);

afterAll(async () => {
  hold.open();
  await site?.close();
}, 30_000);

describe('GET /workflows', () => {
  it('shows all eleven policies as they were registered, and nothing that was not set', async () => {
    const workflows: { name: string; flowControl?: unknown }[] = await site.get('/workflows');
    const shown = (name: string) => workflows.find((each) => each.name === name);
    expect(shown('everything')?.flowControl).toEqual(everything);
    expect(shown('bare')).not.toHaveProperty('flowControl');
    expect(shown('defaults')?.flowControl).toEqual({ singleton: {}, idempotency: {} });
    const { workflows: inGraphql } = await site.graphql(
      '{ workflows { name flowControl { singleton { key mode } priority { shiftMs } cap { maxCost maxTokens } } } }',
    );
    expect(inGraphql.find((each: { name: string }) => each.name === 'everything').flowControl).toEqual({
      singleton: { key: 'customer.id', mode: 'SKIP' },
      priority: { shiftMs: -5_000 },
      cap: { maxCost: 0.5, maxTokens: 1_000 },
    });
  });
});

describe('rateLimit', () => {
  it('answers dropped, beside no other gate and without a run, and the record says the same', async () => {
    for (const n of [1, 2]) {
      const { eventId, ...answer } = await site.send('limited', { k: 'a', n });
      expect(eventId).toEqual(expect.any(String));
      const runId = expect.any(String);
      expect(answer).toEqual({ runId, woke: 0, triggered: [{ app: 'flow', workflow: 'limited', runId }] });
    }
    const { eventId, ...answer } = await site.send('limited', { k: 'a' });
    const triggered = [{ app: 'flow', workflow: 'limited', dropped: true }];
    expect(answer).toEqual({ woke: 0, dropped: true, triggered });
    expect((await site.get(`/events/${eventId}`)).triggered).toEqual(triggered);
    expect(await site.trigger('limited', { k: 'a' })).toEqual({
      workflow: 'limited',
      app: 'flow',
      eventName: 'limited',
      dropped: true,
    });
    expect(await site.trigger('limited', { k: 'b' })).toMatchObject({ runId: expect.any(String) });
    await site.allDone('limited', 3);
  });

  it('counts each project by itself', async () => {
    const name = 'other project';
    const { createProject } = await site.operate(
      'mutation($name: String!) { createProject(input: { name: $name }) { project { id } } }',
      { name },
    );
    const { createApiKey } = await site.operate(
      'mutation($id: ID!) { createApiKey(input: { projectId: $id, name: "k", kind: SECRET }) { token } }',
      { id: createProject.project.id },
    );
    const other = site.client(0, createApiKey.token);
    other.workflow({ id: 'limited', rateLimit: { limit: 2, perMs: hour, key: 'k' } }, () => undefined);
    await site.connect(other, 'r1');
    const answer = await Promise.all([1, 2, 3].map(() => other.events.send({ name: 'limited', data: { k: 'a' } })));
    expect(answer.map((each) => each.dropped === true).sort()).toEqual([false, false, true]);
    const state = await site.call('GET', '/flow-state', undefined, createApiKey.token);
    expect(state.body).toMatchObject({ concurrency: { limit: 0 }, scopes: [], debounce: [], batch: [], throttle: [] });
  });
});

describe('idempotency', () => {
  it('answers deduped; the event is recorded, and wakes who waits for it', async () => {
    const first = await site.send('paid', { order: 1 });
    expect(first).toMatchObject({ runId: expect.any(String) });
    const waiting = await site.trigger('waiter');
    await site.until(waiting.runId, { status: 'waiting' });
    const { eventId, ...answer } = await site.send('paid', { order: '1' });
    expect(answer).toEqual({
      woke: 1,
      deduped: true,
      existingRunId: first.runId,
      triggered: [{ app: 'flow', workflow: 'once', deduped: true, existingRunId: first.runId }],
    });
    const run = await site.ended(waiting.runId);
    expect(run).toMatchObject({ status: 'succeeded', result: { id: eventId, data: { order: '1' } } });
    expect(await site.get(`/events/${eventId}`)).toMatchObject({ wokeRuns: [waiting.runId], woke: 1 });
    expect(await site.send('paid', { order: 2 })).toMatchObject({ runId: expect.any(String) });
    await site.allDone('once', 2);
  });

  it('is something else than the dedupeId of an event, whose repeat is not even recorded', async () => {
    const first = await site.send('paid', { order: 3 }, { dedupeId: 'd1' });
    const again = await site.send('paid', { order: 4 }, { dedupeId: 'd1' });
    expect(again).toEqual({
      eventId: first.eventId,
      woke: 0,
      deduped: true,
      existingRunId: first.runId,
      triggered: [],
    });
  });
});

describe('singleton', () => {
  it('with skip answers skipped while a run is unfinished, and refuses its replay', async () => {
    hold.open();
    const before = await site.send('first', { k: 'a' });
    await site.ended(before.runId);
    hold.close();
    const { runId } = await site.send('first', { k: 'a' });
    expect(await site.send('first', { k: 'a' })).toMatchObject({
      skipped: true,
      triggered: [{ app: 'flow', workflow: 'first', skipped: true, existingRunId: runId }],
    });
    expect(await site.trigger('first', { k: 'a' })).toEqual({
      workflow: 'first',
      app: 'flow',
      eventName: 'first',
      skipped: true,
      existingRunId: runId,
    });
    expect((await site.call('POST', `/runs/${before.runId}/replay`)).status).toBe(409);
    const bulk = await site.call('POST', '/runs/bulk-replay', { workflow: 'first', status: 'succeeded' });
    expect(bulk.body).toMatchObject({ matched: 1, replayed: 0, skipped: 1, failed: 0 });
    hold.open();
    expect(await site.ended(runId)).toMatchObject({ status: 'succeeded' });
    expect(await site.send('first', { k: 'a' })).toMatchObject({ runId: expect.any(String) });
    await site.allDone('first', 3);
  });

  it('with cancel ends the run that is under way, and starts the newest', async () => {
    hold.close();
    const { runId } = await site.send('newest', { k: 'b' });
    await vi.waitFor(() => expect(hold.inside('b')).toBe(1), waitLimits);
    const other = await site.send('newest', { k: 'c' });
    const next = await site.send('newest', { k: 'b' });
    expect(next).toMatchObject({ runId: expect.any(String), woke: 0 });
    expect(await site.hf.runs.get(runId)).toMatchObject({ status: 'cancelled' });
    hold.open();
    expect(await site.ended(next.runId)).toMatchObject({ status: 'succeeded' });
    expect(await site.ended(other.runId)).toMatchObject({ status: 'succeeded' });
    expect(await site.hf.runs.get(runId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('throttle', () => {
  it('gives what comes early a start time of its own, before which it does not start', async () => {
    const answer = [await site.send('paced'), await site.send('paced'), await site.send('paced')];
    expect(answer.every((each) => each.runId !== undefined)).toBe(true);
    const runs = await site.allDone('paced', 3);
    for (const run of runs) {
      const startAt = Date.parse(run.startAt ?? run.createdAt);
      expect(Date.parse(run.startedAt ?? '')).toBeGreaterThanOrEqual(startAt);
    }
  });

  it('shows what is put off as queued with startAt, in GraphQL and in GET /flow-state; a replay waits as well', async () => {
    const first = await site.send('slow');
    await site.ended(first.runId);
    const { runId } = await site.send('slow');
    const run = await site.hf.runs.get(runId);
    expect(run).toMatchObject({ status: 'queued', startAt: expect.any(String) });
    expect(run).not.toHaveProperty('startedAt');
    expect(Date.parse(run.startAt ?? '') - Date.parse(run.createdAt)).toBeGreaterThan(hour / 2);
    const asked = await site.graphql('query($id: ID!) { run(id: $id) { status startAt } }', { id: runId });
    expect(asked.run).toEqual({ status: 'QUEUED', startAt: run.startAt });
    const replay = await site.hf.runs.replay(first.runId);
    const replayed = await site.hf.runs.get(replay.id);
    expect(Date.parse(replayed.startAt ?? '') - Date.parse(run.startAt ?? '')).toBe(hour);
    const { throttle } = await site.get('/flow-state?workflow=slow');
    expect(throttle).toEqual([{ app: 'flow', workflow: 'slow', delayed: 2, nextStartAt: run.startAt }]);
    await site.call('POST', `/runs/${runId}/cancel`);
    expect(await site.hf.runs.get(runId)).toMatchObject({ status: 'cancelled' });
  });
});

it('leaves nothing behind that the doctor objects to', async () => expect(await site.violations()).toEqual([]));

describe('priority', () => {
  it('lets runs overtake those of other workflows that wait for the same runner', async () => {
    const { baseUrl, keys } = site.service();
    const hf = new Holdfast({ baseUrl, apiKey: keys.secretKey, app: 'busy' });
    const order: string[] = [];
    hf.workflow({ id: 'blocker' }, () => hold.enter('busy'));
    hf.workflow({ id: 'plain' }, () => void order.push('plain'));
    hf.workflow({ id: 'urgent', priority: { shiftMs: hour } }, () => void order.push('urgent'));
    const connection = hf.connect({ runner: 'alone', maxInFlight: 1 });
    site.connections.push(connection);
    await connection.ready;
    const start = (name: string) => site.call('POST', `/workflows/busy/${name}/trigger`, { input: {} });
    hold.close();
    await start('blocker');
    await vi.waitFor(() => expect(hold.inside('busy')).toBe(1), waitLimits);
    for (const name of ['plain', 'plain', 'urgent', 'urgent']) expect(await start(name)).toMatchObject({ status: 202 });
    hold.open();
    await vi.waitFor(() => expect(order).toHaveLength(4), waitLimits);
    expect(order).toEqual(['urgent', 'urgent', 'plain', 'plain']);
  });
});
