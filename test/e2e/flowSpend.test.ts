import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Holdfast } from '../../sdk/src/index.ts';
import { FlowSite, waitLimits } from './flowSite.ts';

/** The policies on the spend of AI steps, as users see them. */
let site: FlowSite;
const called: string[] = [];
const hour = 3_600_000;

beforeAll(async () => {
  site = await FlowSite.open({ env: { BUDGET_CHECK_MS: '100' } });
  define(site.hf, { maxTokens: 100 });
  await site.connect(site.hf, 'r1');
}, 120_000);

afterAll(() => site?.close(), 30_000);

function define(hf: Holdfast, budget: { maxTokens: number }): void {
  hf.workflow({ id: 'capped', cap: { maxTokens: 100 } }, async ({ step }) => {
    for (const name of ['one', 'two', 'three']) {
      await step.ai.wrap(name, ({ report }) => {
        called.push(name);
        report({ model: 'm', tokensIn: 40, tokensOut: 20 });
      });
    }
  });
  hf.workflow({ id: 'priced', cap: { maxCost: 0.01 } }, async ({ step }) => {
    for (const name of ['one', 'two'])
      await step.ai.wrap(name, ({ report }) => report({ model: 'm', tokensIn: 1, cost: 0.01 }));
  });
  hf.workflow({ id: 'spender', budget: { ...budget, windowMs: hour } }, async ({ step }) => {
    await step.waitForEvent('spend', { event: 'spend', timeout: hour });
    await step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn: 100, tokensOut: 50, cost: 0.25 }));
    await step.waitForEvent('go', { event: 'go', timeout: hour });
    return 'done';
  });
  hf.workflow({ id: 'windowed', budget: { maxTokens: 100, windowMs: 2_000 } }, async ({ step }) => {
    await step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn: 150 }));
    await step.waitForEvent('end', { event: 'end', timeout: hour });
  });
  hf.workflow({ id: 'drained', tokenThrottle: { tokens: 100, perMs: hour, key: 'k' } }, ({ step }) =>
    step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn: 150 })),
  );
  hf.workflow({ id: 'refilled', tokenThrottle: { tokens: 1_000, perMs: 1_000 } }, ({ step }) =>
    step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn: 1_300 })),
  );
}

describe('cap', () => {
  it('lets the call that reaches it complete, and fails the run with a BudgetError before the next', async () => {
    const { runId } = await site.trigger('capped');
    const run = await site.ended(runId);
    expect(run).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
    expect(called).toEqual(['one', 'two']);
    const steps = await site.hf.runs.steps(runId);
    expect(steps.slice(0, 2)).toMatchObject([
      { name: 'one', status: 'succeeded' },
      { name: 'two', status: 'succeeded' },
    ]);
  });

  it('starts at zero for a replay', async () => {
    const [run] = await site.runsOf('capped');
    called.length = 0;
    const { id } = await site.hf.runs.replay(run?.id ?? '');
    expect(await site.ended(id)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
    expect(called).toEqual(['one', 'two']);
  });

  it('goes by cost where the runner names prices', async () => {
    const { runId } = await site.trigger('priced');
    expect(await site.ended(runId)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
  });
});

describe('budget', () => {
  it('pauses the runs of its workflow when it is spent; raised, it resumes them, and no others', async () => {
    const [one, two, mine] = [
      await site.trigger('spender'),
      await site.trigger('spender'),
      await site.trigger('spender'),
    ];
    for (const { runId } of [one, two, mine]) await site.until(runId, { status: 'waiting' });
    await site.hf.runs.pause(mine.runId);
    await site.send('spend');
    const held = { status: 'paused', pausedBy: { reason: 'budget' } };
    await site.until(one.runId, held);
    await site.until(two.runId, held);
    const state = await site.get('/flow-state?workflow=spender');
    expect(state.budgets).toEqual([
      {
        app: 'flow',
        workflow: 'spender',
        tokens: 300,
        cost: 0.5,
        maxTokens: 100,
        windowMs: hour,
        paused: 2,
        exceededAt: expect.any(String),
        resumesAt: expect.any(String),
      },
    ]);
    const late = await site.trigger('spender');
    await site.until(late.runId, held);
    await site.send('go');
    const raised = site.client();
    define(raised, { maxTokens: 1_000 });
    await site.connect(raised, 'r1');
    expect(await site.ended(one.runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await site.ended(two.runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    await site.until(late.runId, { status: 'waiting' });
    const paused = await site.hf.runs.get(mine.runId);
    expect(paused).toMatchObject({ status: 'paused', pausedBy: { reason: 'manual' } });
    expect((await site.get('/flow-state?workflow=spender')).budgets).toMatchObject([{ maxTokens: 1_000, paused: 0 }]);
  });

  it('lets its runs go on by itself when its window has rolled on', async () => {
    const { runId } = await site.trigger('windowed');
    // Read from the journal, which shows even the shortest pause.
    const signal = AbortSignal.timeout(waitLimits.timeout);
    for await (const frame of site.hf.runs.stream(runId, { signal })) {
      if (frame.kind === 'run_status' && frame.status === 'paused') break;
    }
    await site.until(runId, { status: 'waiting' });
    expect(await site.hf.runs.get(runId)).not.toHaveProperty('pausedBy');
    await site.send('end');
    expect(await site.ended(runId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('tokenThrottle', () => {
  it('puts starts of a drained key off, queued with a start time, and no other', async () => {
    const first = await site.send('drained', { k: 'a' });
    expect(await site.ended(first.runId)).toMatchObject({ status: 'succeeded' });
    const second = await site.send('drained', { k: 'a' });
    const run = await site.hf.runs.get(second.runId);
    expect(run).toMatchObject({ status: 'queued', startAt: expect.any(String) });
    const { tokenThrottle } = await site.get('/flow-state?workflow=drained');
    expect(tokenThrottle).toEqual([
      { app: 'flow', workflow: 'drained', key: 'a', available: 0, nextStartAt: expect.any(String) },
    ]);
    const other = await site.send('drained', { k: 'b' });
    expect(await site.ended(other.runId)).toMatchObject({ status: 'succeeded' });
    await site.hf.runs.get(second.runId).then((late) => expect(late.status).toBe('queued'));
  });

  it('starts them once the bucket has been refilled', async () => {
    for (let n = 0; n < 3; n += 1) {
      const { runId } = await site.trigger('refilled');
      const run = await site.ended(runId);
      const startAt = Date.parse(run.startAt ?? run.createdAt);
      expect(Date.parse(run.startedAt ?? '')).toBeGreaterThanOrEqual(startAt);
    }
  });
});

it('leaves nothing behind that the doctor objects to', async () => expect(await site.violations()).toEqual([]));
