import fc from 'fast-check';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../../src/engine/admission/index.ts';
import { createEngine } from '../../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { registerDispatcher } from '../../../../src/engine/dispatchers/index.ts';
import { claimRuns, settlePass } from '../../../../src/engine/passes/index.ts';
import { wakeDueRuns } from '../../../../src/engine/work/index.ts';
import { checkProperty } from '../../../random/kit/checkProperty.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';

import { steps } from '../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../support/workflows.ts';

/** Each has its own dispatcher. */
let members: { engine: EngineContext; dispatcherId: string }[];
const clock = new ManualClock(new Date('2026-11-21T12:00:00.000Z'));

const service = useEngine({ clock });
beforeAll(async () => {
  const { db, engine } = service;
  const other = createEngine({ db, clock, log: pino({ level: 'silent' }), settings: engine.settings });
  members = await Promise.all(
    [engine, other].map(async (each) => ({ engine: each, dispatcherId: await registerDispatcher(each) })),
  );
});

/** By workflow: how much earlier its runs count as enqueued. */
const shifts = [0, 1_000, 2_500, -1_500];

type Move =
  | { kind: 'start'; by: number; workflow: number }
  | { kind: 'wait'; ms: number }
  /**
   * A process claims, or both do at once. Claimed runs may sleep at once, and are enqueued again
   * when they wake.
   */
  | { kind: 'claim'; by: number; limit: number; isTogether: boolean; napMs: number };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('start' as const), by: fc.nat(1), workflow: fc.nat(3) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 900 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('claim' as const),
        by: fc.nat(1),
        limit: fc.integer({ min: 1, max: 5 }),
        isTogether: fc.boolean(),
        napMs: fc.constantFrom(0, 0, 300, 1_200),
      }),
    },
  ),
  { minLength: 15, maxLength: 60 },
);

interface Queued {
  runId: string;
  workflow: number;
  /** The time at which it counts as enqueued. */
  at: number;
}

/** The queue by the rule alone: one queue for all workflows. */
class ModelQueue {
  #line: Queued[] = [];
  #asleep: Queued[] = [];

  /** Lets the claimed runs sleep until then. */
  sleep(claimed: readonly Queued[], until: number): void {
    this.#asleep.push(...claimed.map((run) => ({ ...run, at: until })));
  }

  /** Enqueues the runs whose sleep is over. */
  wake(now: number): void {
    for (const run of this.#asleep.filter(({ at }) => at <= now)) {
      this.add({ ...run, at: now - (shifts[run.workflow] ?? 0) });
    }
    this.#asleep = this.#asleep.filter(({ at }) => at > now);
  }

  add(run: Queued): void {
    // Runs with the same time are ordered by id, which grows.
    this.#line.push(run);
    this.#line.sort((one, other) => one.at - other.at || (one.runId < other.runId ? -1 : 1));
  }

  get size(): number {
    return this.#line.length;
  }

  /** Runs claimed by one process must be the first of the queue, up to the limit. */
  takeFirst(claimed: readonly string[], limit: number): Queued[] {
    const first = this.#line.splice(0, limit);
    expect([...claimed].sort()).toEqual(first.map(({ runId }) => runId).sort());
    return first;
  }

  /** Two concurrent claims must not skip a run within a workflow. */
  takeTogether(claimed: readonly string[], limit: number): Queued[] {
    expect(claimed).toHaveLength(Math.min(limit, this.#line.length));
    for (const workflow of shifts.keys()) {
      const own = this.#line.filter((run) => run.workflow === workflow).map(({ runId }) => runId);
      const taken = own.filter((runId) => claimed.includes(runId));
      expect(taken).toEqual(own.slice(0, taken.length));
    }
    const taken = this.#line.filter(({ runId }) => claimed.includes(runId));
    this.#line = this.#line.filter(({ runId }) => !claimed.includes(runId));
    return taken;
  }
}

async function open(): Promise<{ projectId: string; laneIds: number[] }> {
  const projectId = await createTestProject(service.engine);
  const workflows = shifts.map((shiftMs, n) => ({ name: `w${n}`, priority: { shiftMs } }));
  await registerWorkflows(service.engine, projectId, workflows);
  const keys = workflows.map(({ name }) => ({ projectId, app: 'default', workflow: name, runner: '' }));
  return { projectId, laneIds: await service.engine.lanes.ensure(keys) };
}

let naps = 0;

/** Claims like the dispatcher's loop: until no known run is left, or the limit is reached. */
async function claim(by: number, laneIds: readonly number[], limit: number, napMs = 0): Promise<string[]> {
  const { engine, dispatcherId } = members[by] ?? members[0] ?? { engine: service.engine, dispatcherId: '' };
  const claimed: string[] = [];
  let hot: readonly number[] = laneIds;
  while (hot.length > 0 && claimed.length < limit) {
    const groups = [{ laneIds: hot, limit: limit - claimed.length }];
    const { passes, lanesWithMore } = await claimRuns(engine, { dispatcherId, groups });
    claimed.push(...passes.map(({ runId }) => runId));
    const nap = { op: 'Sleep', name: `nap ${naps++}`, sleepMs: napMs } as const;
    if (napMs > 0) await Promise.all(passes.map((pass) => settlePass(engine, pass, steps([nap]))));
    hot = lanesWithMore;
  }
  return claimed;
}

it('C4: runs of all workflows form one queue, each at a position shifted by its priority', async () => {
  let overtaken = 0;
  await checkProperty(
    'priorityModel',
    fc.asyncProperty(moves, async (all) => {
      const { projectId, laneIds } = await open();
      const queue = new ModelQueue();
      for (const move of all) {
        if (move.kind === 'wait') {
          clock.advance(move.ms);
          await wakeDueRuns(service.engine);
          queue.wake(clock.now().getTime());
        } else if (move.kind === 'start') {
          const engine = members[move.by]?.engine ?? service.engine;
          const start = { projectId, app: 'default', name: `w${move.workflow}`, input: {} };
          const { runId } = await triggerWorkflow(engine, start);
          if (!runId) throw new Error('no run was started');
          const shiftMs = shifts[move.workflow] ?? 0;
          if (shiftMs > 0 && queue.size > 0) overtaken += 1;
          queue.add({ runId, workflow: move.workflow, at: clock.now().getTime() - shiftMs });
        } else {
          const { napMs, limit } = move;
          const processes = move.isTogether ? [0, 1] : [move.by];
          const claimed = (await Promise.all(processes.map((by) => claim(by, laneIds, limit, napMs)))).flat();
          const taken = move.isTogether ? queue.takeTogether(claimed, 2 * limit) : queue.takeFirst(claimed, limit);
          if (napMs > 0) queue.sleep(taken, clock.now().getTime() + napMs);
        }
      }
      queue.takeFirst(await claim(0, laneIds, 1_000), 1_000);
    }),
    Number(process.env['RANDOM_COUNT'] || 25),
  );
  expect(overtaken).toBeGreaterThan(25);
}, 300_000);
