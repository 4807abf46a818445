import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { cancelRun, replayRun } from '../../../../../src/engine/control/index.ts';
import { retireDispatcher } from '../../../../../src/engine/dispatchers/index.ts';
import { openGates, sweepGates } from '../../../../../src/engine/flow/policies/concurrency/index.ts';
import { claimRuns, type Pass } from '../../../../../src/engine/passes/index.ts';
import { updateProject } from '../../../../../src/engine/projects/index.ts';
import { lookAfterStranded, pollChanges } from '../../../../../src/engine/routing/index.ts';
import { releaseRuns } from '../../../../../src/engine/work/index.ts';
import { useEngine } from '../../../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../../support/workflows.ts';
import { dataOf, useScenes } from '../../../control/scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const open = useScenes(test);

const engine = () => test.engine;
const nap: Script = (request) =>
  dataOf(request, 'nap') === null ? complete('woke') : steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);
const stepThenEnd: Script = (request) =>
  memoOf(request, 'a') ? complete('done') : steps([{ op: 'StepRun', name: 'a', data: 1 }]);
const handlers = { limited: stepThenEnd, free: stepThenEnd, nap };

const limited = (concurrency: WireWorkflow['concurrency']): WireWorkflow => ({ name: 'limited', concurrency });
const others: WireWorkflow[] = [{ name: 'free' }, { name: 'nap', concurrency: { limit: 1 } }];

/** Workflows: `limited` as given, `free` without limits, and `nap` with a limit of one. */
async function newScene(concurrency: WireWorkflow['concurrency'] = { limit: 1 }) {
  const at = await open(handlers);
  await registerWorkflows(engine(), at.projectId, [limited(concurrency), ...others]);
  return {
    ...at,
    register: (next: WireWorkflow) => registerWorkflows(engine(), at.projectId, [next, ...others]),
    ceiling: (concurrencyCeiling: number) => updateProject(engine(), { id: at.projectId, concurrencyCeiling }),
    start: (name: keyof typeof handlers, data: object = {}) => at.start(name, { input: data }),
    async startMany(count: number, data: object = {}): Promise<string[]> {
      const runIds: string[] = [];
      for (let n = 0; n < count; n += 1) runIds.push(await at.start('limited', { input: data }));
      return runIds;
    },
    claim: (limit?: number) => at.dispatcher.claim(limit),
    lookAfterStranded: () => lookAfterStranded(engine()),
    async states(runIds: readonly string[]): Promise<(string | undefined)[]> {
      const rows = await Promise.all(runIds.map((runId) => at.work(runId)));
      return rows.map((row) => row?.state);
    },
  };
}

const idsOf = (passes: readonly Pass[]) => passes.map((pass) => pass.runId);

describe('a workflow with a concurrency limit', () => {
  it('L1: executes that many runs at once, in queue order', async () => {
    const { startMany, claim, states, dispatcher } = await newScene({ limit: 2 });
    const runIds = await startMany(5);
    const first = await claim();
    expect(idsOf(first)).toEqual(runIds.slice(0, 2));
    expect(await states(runIds)).toEqual(['leased', 'leased', 'gated', 'gated', 'gated']);
    expect(await claim()).toEqual([]);

    await dispatcher.drive(first[1] as Pass);
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual([runIds[2]]);
    expect(await states(runIds)).toEqual(['leased', undefined, 'leased', 'gated', 'gated']);
  });

  it('shows a waiting run as queued', async () => {
    const { startMany, claim, run, statuses } = await newScene();
    const [, second = ''] = await startMany(2);
    await claim();
    expect(await run(second)).toMatchObject({ status: 'queued', startedAt: null });
    expect(await statuses(second)).toEqual(['queued']);
  });

  it('counts each value of its key separately, so a full scope delays no other', async () => {
    const { startMany, claim } = await newScene({ limit: 1, key: 'customer.id' });
    const [a] = await startMany(300, { customer: { id: 'a' } });
    const [b] = await startMany(1, { customer: { id: 'b' } });
    const [whole] = await startMany(2, { customer: {} });
    expect(idsOf(await claim(5)).sort()).toEqual([a, b, whole].sort());
  });

  it('queues new runs behind waiting ones', async () => {
    const { startMany, claim, states, dispatcher } = await newScene();
    const runIds = await startMany(2);
    const [pass] = await claim();
    const [late = ''] = await startMany(1);
    expect(await states([late])).toEqual(['gated']);
    await dispatcher.drive(pass as Pass);
    await dispatcher.runOnce();
    expect(dispatcher.requests.map((request) => request.ctx.runId)).toEqual(
      [...runIds, late].flatMap((runId) => [runId, runId]),
    );
  });

  it('L1: occupies no slot while it sleeps', async () => {
    const { start, settle, run, states } = await newScene();
    const runIds = [await start('nap'), await start('nap'), await start('nap')];
    await settle();
    expect(await states(runIds)).toEqual(['parked', 'parked', 'parked']);
    clock.advance(60_000);
    await settle();
    for (const runId of runIds) expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('does not affect other workflows', async () => {
    const { start, startMany, claim } = await newScene();
    await startMany(2);
    const free = [await start('free'), await start('free')];
    expect(idsOf(await claim())).toEqual(expect.arrayContaining(free));
  });
});

describe('L4: a slot is freed', () => {
  const held = async () => {
    const at = await newScene();
    const [first = '', second = ''] = await at.startMany(2);
    const [pass] = await at.claim();
    if (!pass) throw new Error('nothing was claimed');
    expect(pass.runId).toBe(first);
    const next = async () => {
      await openGates(engine(), { slots: [pass.taken?.slot ?? ''], projectIds: [] });
      return idsOf(await at.claim());
    };
    return { ...at, first, second, pass, next };
  };

  it('when the run is cancelled', async () => {
    const { call, first, second, next } = await held();
    await cancelRun(engine(), call(first));
    expect(await next()).toEqual([second]);
  });

  it('when the run is paused, at the end of its pass; after a resume it waits for its turn', async () => {
    const { pause, resume, first, second, pass, next, dispatcher, states } = await held();
    await pause(first);
    await dispatcher.drive(pass);
    expect(await next()).toEqual([second]);
    await resume(first);
    expect(await next()).toEqual([]);
    expect(await states([first, second])).toEqual(['gated', 'leased']);
  });

  it('when the run is released: it is first again, and shown as queued while it waits', async () => {
    const { first, second, next, dispatcher, statuses, run } = await held();
    await releaseRuns(engine(), dispatcher.id, [first]);
    expect(await next()).toEqual([first]);
    await releaseRuns(engine(), dispatcher.id, [first]);
    await test.db.query('update run_work set position = position + 1000000 where run_id = $1', [first]);
    // The claim now gates the run behind another one, which then gets the slot.
    expect(await next()).toEqual([]);
    expect(await next()).toEqual([second]);
    expect(await run(first)).toMatchObject({ status: 'queued' });
    expect(await statuses(first)).toEqual(['queued', 'running', 'queued']);
  });

  it('when its dispatcher retires', async () => {
    const { first, dispatcher } = await held();
    const rival = await new ScriptedDispatcher(engine(), stepThenEnd).start();
    await retireDispatcher(engine(), dispatcher.id);
    expect(idsOf(await rival.claim())).toEqual([first]);
  });
});

describe('a run that waits for a slot', () => {
  it('can be paused, and is queued behind newer runs after a resume', async () => {
    const { startMany, pause, resume, claim, run, states, dispatcher, work } = await newScene();
    const [first = '', second = '', third = ''] = await startMany(3);
    const [pass] = await claim();
    await pause(second);
    expect(await run(second)).toMatchObject({ status: 'paused' });
    expect(await work(second)).toMatchObject({ state: 'paused', resumeState: 'ready', gate: null });
    clock.advance(1_000);
    await resume(second);
    expect(await claim()).toEqual([]);
    expect(await states([first, second, third])).toEqual(['leased', 'gated', 'gated']);
    await dispatcher.drive(pass as Pass);
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual([third]);
  });

  it('can be cancelled', async () => {
    const { startMany, call, claim, run, work } = await newScene();
    const [, second = ''] = await startMany(2);
    await claim();
    await cancelRun(engine(), call(second));
    expect(await run(second)).toMatchObject({ status: 'cancelled' });
    expect(await work(second)).toBeNull();
  });

  it('is stranded without a runner only after it got its slot, and does not delay later runs', async () => {
    const { projectId, startMany, claim, dispatcher, run, states, lookAfterStranded } = await newScene();
    const runIds = await startMany(3);
    const [pass] = await claim();
    const setConnected = (connected: boolean) =>
      test.db.prisma.runner.updateMany({
        where: { projectId },
        data: { connected, lastSeenAt: clock.now() },
      });
    await setConnected(false);
    await lookAfterStranded();
    expect(await states(runIds)).toEqual(['leased', 'gated', 'gated']);
    await dispatcher.drive(pass as Pass);
    await sweepGates(engine());
    await lookAfterStranded();
    expect(await states(runIds)).toEqual([undefined, 'stranded', 'gated']);
    expect(await run(runIds[1] ?? '')).toMatchObject({ status: 'waiting' });
    await sweepGates(engine());
    await lookAfterStranded();
    expect(await states(runIds)).toEqual([undefined, 'stranded', 'stranded']);
    await setConnected(true);
    await lookAfterStranded();
    await dispatcher.runOnce();
    expect(await states(runIds)).toEqual([undefined, undefined, undefined]);
  });

  it('is queued behind an earlier replay', async () => {
    const { start, settle, call, claim, work } = await newScene();
    const source = await start('limited');
    await settle();
    const { id: replay } = await replayRun(engine(), { ...call(source) });
    const next = await start('limited');
    expect(idsOf(await claim())).toEqual([replay]);
    expect(await work(next)).toMatchObject({ state: 'gated', gate: 'slot' });
  });
});

describe('a limit that changes', () => {
  it('L3: applies to waiting runs, raised or lowered', async () => {
    const { startMany, claim, register, states, dispatcher } = await newScene({ limit: 1 });
    const runIds = await startMany(6);
    const [first] = await claim();
    await register(limited({ limit: 3 }));
    await sweepGates(engine());
    const more = await claim();
    expect(idsOf(more)).toEqual(runIds.slice(1, 3));
    await register(limited({ limit: 2 }));
    await dispatcher.drive(first as Pass);
    await sweepGates(engine());
    expect(await claim()).toEqual([]);
    await dispatcher.drive(more[0] as Pass);
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual([runIds[3]]);
    expect((await states(runIds)).filter((state) => state === 'leased')).toHaveLength(2);
  });

  it('makes all gated runs ready when it is removed', async () => {
    const { startMany, claim, register } = await newScene({ limit: 1 });
    const runIds = await startMany(4);
    await claim();
    await register({ name: 'limited' });
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual(runIds.slice(1));
  });

  it('counts runs that were queued before it existed in the scope of the whole workflow', async () => {
    const { startMany, claim, register, states, dispatcher } = await newScene({ limit: 1 });
    await register({ name: 'limited' });
    const runIds = await startMany(4);
    await register(limited({ limit: 2, key: 'k' }));
    const first = await claim();
    expect(idsOf(first)).toEqual(runIds.slice(0, 2));
    expect(await states(runIds)).toEqual(['leased', 'leased', 'gated', 'gated']);
    for (const pass of first) await dispatcher.drive(pass);
    await sweepGates(engine());
    await dispatcher.runOnce();
    expect(await states(runIds.slice(2))).toEqual([undefined, undefined]);
  });

  it('L2, L3: holds in a process with outdated definitions', async () => {
    const { projectId, startMany, claim } = await newScene();
    await registerWorkflows(engine(), projectId, [{ name: 'limited' }, ...others]);
    await startMany(3);
    const { registry } = engine();
    const old = await registry.snapshot(projectId);
    await registerWorkflows(engine(), projectId, [limited({ limit: 1 }), ...others]);
    const { snapshot } = registry;
    registry.snapshot = () => Promise.resolve(old);
    try {
      expect(await claim()).toEqual([]);
    } finally {
      registry.snapshot = snapshot;
    }
    expect(await claim()).toHaveLength(1);
  });
});

describe("a project's ceiling", () => {
  it('limits the executing runs of all its workflows together, in queue order', async () => {
    const { start, ceiling, claim, states, dispatcher } = await newScene({ limit: 5 });
    await ceiling(2);
    const runIds = [await start('free'), await start('limited'), await start('free'), await start('limited')];
    const first = await claim();
    expect(idsOf(first).sort()).toEqual(runIds.slice(0, 2).sort());
    expect(await states(runIds)).toEqual(['leased', 'leased', 'gated', 'gated']);
    await dispatcher.drive(first[0] as Pass);
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual([runIds[2]]);
  });

  it('applies together with the limit of a workflow, whichever is tighter', async () => {
    const { start, ceiling, claim, work } = await newScene({ limit: 1 });
    await ceiling(2);
    const runIds = [await start('limited'), await start('limited'), await start('free'), await start('free')];
    expect(idsOf(await claim()).sort()).toEqual([runIds[0], runIds[2]].sort());
    expect(await work(runIds[1] ?? '')).toMatchObject({ state: 'gated', gate: 'slot' });
    expect(await work(runIds[3] ?? '')).toMatchObject({ state: 'gated', gate: 'ceiling' });
  });

  it('makes waiting runs ready when it is raised or removed', async () => {
    const { start, ceiling, claim } = await newScene();
    await ceiling(1);
    const runIds = [await start('free'), await start('free'), await start('free'), await start('free')];
    await claim();
    await ceiling(2);
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual([runIds[1]]);
    await ceiling(0);
    await sweepGates(engine());
    expect(idsOf(await claim())).toEqual(runIds.slice(2));
  });

  it('L2, L3: holds in a process with outdated definitions', async () => {
    const { projectId, start, ceiling, claim } = await newScene();
    await start('free');
    await start('free');
    const { registry } = engine();
    const old = await registry.snapshot(projectId);
    await ceiling(1);
    const { snapshot } = registry;
    registry.snapshot = () => Promise.resolve(old);
    try {
      expect(await claim()).toEqual([]);
    } finally {
      registry.snapshot = snapshot;
    }
    expect(await claim()).toHaveLength(1);
  });
});

it('a process without hints learns of a new limit when it polls', async () => {
  const { projectId, startMany, dispatcher } = await newScene();
  await registerWorkflows(engine(), projectId, [{ name: 'limited' }, ...others]);
  const { db } = test;
  const deaf = createEngine({ db, clock, log: pino({ level: 'silent' }), settings: engine().settings });
  const [laneId = 0] = await engine().lanes.ensure([{ projectId, app: 'default', workflow: 'limited', runner: '' }]);
  const groups = [{ laneIds: [laneId], limit: 5 }];
  const claimDeaf = async () => (await claimRuns(deaf, { dispatcherId: dispatcher.id, groups })).passes;
  expect(await claimDeaf()).toEqual([]);
  await registerWorkflows(engine(), projectId, [limited({ limit: 1 }), ...others]);
  await startMany(3);
  expect(await claimDeaf()).toEqual([]);
  await pollChanges(deaf, { dispatcherId: dispatcher.id, laneIds: [laneId], runIds: [] });
  expect(await claimDeaf()).toHaveLength(1);
});
