import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Holdfast } from '../../sdk/src/index.ts';
import { Agent } from '../mcp/agent.ts';
import { FlowSite, Hold } from './flowSite.ts';

/** What agents do at `/mcp` of a service in a process of its own, with runs of a real runner. */
let site: FlowSite;
let agent: Agent;
const hold = new Hold();
/** Whether cards are accepted. */
let isPaid = false;

beforeAll(async () => {
  site = await FlowSite.open();
  define(site.hf);
  await site.connect(site.hf, 'r1');
}, 120_000);

afterAll(async () => {
  hold.open();
  await site?.close();
}, 30_000);

beforeEach(() => {
  isPaid = false;
  agent = new Agent(site.service().baseUrl, site.service().keys.secretKey);
});

const kib = 1024;
const hour = 3_600_000;
const call = (name: string, given: object) => agent.call(name, given);

function expectAtMost(calls: number): void {
  expect(agent.calls).toBeLessThanOrEqual(calls);
  expect(agent.bytes).toBeLessThanOrEqual(8 * kib);
}

function charge(): string {
  if (isPaid) return 'paid';
  const error = new Error('card declined');
  error.stack = 'at charge\n'.repeat(2_000);
  throw error;
}

function define(hf: Holdfast): void {
  hf.workflow({ id: 'order', retry: { maxAttempts: 1 } }, async ({ step }) => {
    await step.run('reserve', () => ({ parcel: 'P-0' }));
    await step.run('charge', charge);
    return step.run('ship', () => ({ parcel: 'P-2' }));
  });
  hf.workflow({ id: 'one-by-one', concurrency: { limit: 1 } }, ({ step }) =>
    step.run('work', () => hold.enter('one-by-one')),
  );
  hf.workflow({ id: 'refund' }, ({ step }) =>
    step.approval('sign', { tool: 'refund', risk: 'high', args: { cents: 900 } }),
  );
  hf.workflow({ id: 'deployed' }, ({ step }) => step.sleep('nap', hour));
  hf.workflow({ id: 'mail', triggers: [{ event: 'order.paid' }] }, ({ step }) => step.run('send', () => 'sent'));
  hf.workflow({ id: 'expects' }, async ({ step }) => {
    const paid = await step.waitForEvent('paid', { event: 'order.paid', timeout: hour });
    return paid ? 'heard' : 'nothing';
  });
  hf.workflow({ id: 'asks' }, ({ step }) =>
    step.ai.wrap('ask', ({ report }) => report({ model: 'opus', tokensIn: 100, tokensOut: 50, cost: 0.25 })),
  );
}

/** Starts a run, as a person does over REST. */
async function start(name: string, body: object = {}): Promise<string> {
  const { body: started } = await site.call('POST', `/workflows/flow/${name}/trigger`, body);
  return started.runId;
}

describe('an agent finds out', () => {
  it('why a run failed, by 1 call', async () => {
    const id = await start('order', { input: { note: 'x'.repeat(200_000) } });
    await site.ended(id);
    const { verdict, failure } = await call('diagnose_run', { id });
    expect(verdict).toBe('failed');
    expect(failure).toMatchObject({ step: { name: 'charge', attempts: 1 }, error: { message: 'card declined' } });
    expectAtMost(1);
  });

  it('why a run does not start, by 1 call', async () => {
    const first = await start('one-by-one');
    await expect.poll(() => hold.inside('one-by-one')).toBe(1);
    const id = await start('one-by-one');
    const { verdict, causes } = await call('diagnose_run', { id });
    expect(verdict).toBe('queued');
    expect(causes).toMatchObject([{ kind: 'concurrency', limit: 1, inUse: 1, holders: [first] }]);
    expectAtMost(1);
    hold.open();
    for (const each of [first, id]) expect(await site.ended(each)).toMatchObject({ status: 'succeeded' });
  });

  it('the third step of an order, by its tag, within 3 calls', async () => {
    isPaid = true;
    const id = await start('order', { tags: { order: '4711' } });
    await start('order', { tags: { order: '4712' } });
    await site.ended(id);
    const { runs } = await call('list_runs', { tag: { order: '4711' } });
    expect(runs.map((run: { id: string }) => run.id)).toEqual([id]);
    const { steps } = await call('list_run_steps', { id, step: 2, include: ['output'] });
    expect(steps).toMatchObject([{ name: 'ship', output: { parcel: 'P-2' } }]);
    expectAtMost(3);
  });

  it('what an event did, within 2 calls', async () => {
    const waiter = await start('expects');
    await site.until(waiter, { status: 'waiting' });
    const { eventId, triggered } = await site.send('order.paid', { order: 4711 });
    await site.ended(triggered[0].runId);
    const event = await call('get_event', { id: eventId });
    expect(event).toMatchObject({ triggered: [{ workflow: 'mail', runId: triggered[0].runId }], wokeRuns: [waiter] });
    expect(await call('get_run', { id: event.triggered[0].runId })).toMatchObject({
      status: 'succeeded',
      result: 'sent',
    });
    expectAtMost(2);
    expect(await site.ended(waiter)).toMatchObject({ result: 'heard' });
  });

  it('what the models cost yesterday, by 1 call', async () => {
    const [yesterdays, todays] = [await start('asks'), await start('asks')];
    for (const id of [yesterdays, todays]) await site.ended(id);
    const client = new pg.Client({ connectionString: site.databaseUrl });
    await client.connect();
    await client.query(`update ai_usage set created_at = created_at - interval '1 day' where run_id = $1`, [
      yesterdays,
    ]);
    await client.end();
    const { byHour, byModel } = await call('get_ai_spend', { since: '2d', bucket: 86_400 });
    expect(byHour).toMatchObject([
      { calls: 1, cost: 0.25 },
      { calls: 1, cost: 0.25 },
    ]);
    expect(byModel).toMatchObject([{ model: 'opus', calls: 2, tokens: 300 }]);
    expectAtMost(1);
  });
});

describe('an agent acts', () => {
  it('by a trigger and a wait: 2 calls', async () => {
    isPaid = true;
    const { runId } = await call('trigger_workflow', {
      app: 'flow',
      name: 'order',
      input: { order: 1 },
      dedupeId: 'order 1',
    });
    expect(await call('wait_for_run', { id: runId })).toMatchObject({
      id: runId,
      status: 'succeeded',
      result: { parcel: 'P-2' },
    });
    expectAtMost(2);
  });

  it('by a retry from the failed step, and a wait: 2 calls', async () => {
    const id = await start('order');
    expect(await site.ended(id)).toMatchObject({ status: 'failed' });
    isPaid = true;
    const { run } = await call('retry_run_from_step', { id, step: 'charge', dedupeId: 'retry 1' });
    expect(await call('wait_for_run', { id: run.id })).toMatchObject({
      replayOf: id,
      status: 'succeeded',
      result: { parcel: 'P-2' },
    });
    expectAtMost(2);
  });

  it('by an approval with edits: 2 calls', async () => {
    const runId = await start('refund');
    await site.until(runId, { status: 'needs_attention' });
    const { approvals } = await call('list_approvals', { runId });
    expect(approvals).toMatchObject([{ tool: 'refund', risk: 'high', args: { cents: 900 } }]);
    const { approval } = await call('decide_approval', {
      id: approvals[0].id,
      status: 'approved',
      args: { cents: 400 },
    });
    expect(approval).toMatchObject({ status: 'approved', decidedVia: 'mcp' });
    expectAtMost(2);
    expect(await site.ended(runId)).toMatchObject({ status: 'succeeded', result: { args: { cents: 400 } } });
  });

  it('on what a bad deploy started: looks, previews and cancels by 3 calls', async () => {
    const before = await start('deployed', { tags: { release: '41' } });
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await start('deployed', { tags: { release: '42' } }));
    const counts = await call('get_run_stats', { app: 'flow', workflow: 'deployed' });
    expect(JSON.stringify(counts)).toContain('31');
    const given = { workflow: 'deployed', tags: { release: '42' } };
    const { preview, confirm } = await call('bulk_cancel_runs', given);
    expect(preview).toMatchObject({ matched: 30, count: 30, capped: false });
    const after = await start('deployed', { tags: { release: '42' } });
    expect(await call('bulk_cancel_runs', { ...given, confirm })).toMatchObject({ cancelled: 30, failed: 0 });
    expectAtMost(3);
    for (const id of ids) expect(await site.hf.runs.get(id)).toMatchObject({ status: 'cancelled' });
    for (const id of [before, after]) await site.until(id, { status: 'waiting' });
  });

  it('on what failed since a time of day: previews, replays and looks by 3 calls', async () => {
    const early = await start('order');
    await site.ended(early);
    const since = new Date().toISOString();
    const failed = [await start('order'), await start('order')];
    for (const id of failed) expect(await site.ended(id)).toMatchObject({ status: 'failed' });
    isPaid = true;
    const given = { workflow: 'order', status: 'failed', since };
    const { preview, confirm } = await call('bulk_replay_runs', given);
    expect(preview).toMatchObject({ matched: 2, capped: false });
    expect(await call('bulk_replay_runs', { ...given, confirm })).toMatchObject({ replayed: 2, failed: 0 });
    const { runs } = await call('list_runs', { workflow: 'order', since });
    const replays = runs.filter(({ replayOf }: { replayOf?: string }) => replayOf !== undefined);
    expect(replays.map(({ replayOf }: { replayOf: string }) => replayOf).sort()).toEqual([...failed].sort());
    expectAtMost(3);
    for (const { id } of replays) expect(await site.ended(id)).toMatchObject({ status: 'succeeded' });
  });
});
