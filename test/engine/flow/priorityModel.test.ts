import fc from 'fast-check';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { registerDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { claimRuns } from '../../../src/engine/passes/index.ts';
import { shareByOrder } from '../../../src/engine/work/index.ts';
import { checkProperty } from '../../random/kit/checkProperty.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

/** Each with a dispatcher of its own. */
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
  /** One process claims, or both at once. */
  | { kind: 'claim'; by: number; limit: number; isTogether: boolean };

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
      }),
    },
  ),
  { minLength: 15, maxLength: 60 },
);

interface Queued {
  runId: string;
  workflow: number;
  /** When it counts as enqueued. */
  at: number;
}

/** The queue by the rule alone: one line for all workflows. */
class ModelQueue {
  #line: Queued[] = [];

  add(run: Queued): void {
    // Of two that count as enqueued at once, the id decides, which grows.
    this.#line.push(run);
    this.#line.sort((one, other) => one.at - other.at || (one.runId < other.runId ? -1 : 1));
  }

  get size(): number {
    return this.#line.length;
  }

  /** Those who were claimed by one process are the first in line, however many there was room for. */
  takeFirst(claimed: readonly string[], limit: number): void {
    const first = this.#line.splice(0, limit).map(({ runId }) => runId);
    expect([...claimed].sort()).toEqual(first.sort());
  }

  /** Two that claim side by side leave nobody out within a workflow. */
  takeTogether(claimed: readonly string[], limit: number): void {
    expect(claimed).toHaveLength(Math.min(limit, this.#line.length));
    for (const workflow of shifts.keys()) {
      const own = this.#line.filter((run) => run.workflow === workflow).map(({ runId }) => runId);
      const taken = own.filter((runId) => claimed.includes(runId));
      expect(taken).toEqual(own.slice(0, taken.length));
    }
    this.#line = this.#line.filter(({ runId }) => !claimed.includes(runId));
  }
}

async function open(): Promise<{ projectId: string; laneIds: number[] }> {
  const projectId = await createTestProject(service.engine);
  const workflows = shifts.map((shiftMs, n) => ({ name: `w${n}`, priority: { shiftMs } }));
  await registerWorkflows(service.engine, projectId, workflows);
  const keys = workflows.map(({ name }) => ({ projectId, app: 'default', workflow: name, runner: '' }));
  return { projectId, laneIds: await service.engine.lanes.ensure(keys) };
}

/** Claims until there is nothing left that it knows of, or no room, as the dispatcher's loop does. */
async function claim(by: number, laneIds: readonly number[], limit: number): Promise<string[]> {
  const { engine, dispatcherId } = members[by] ?? members[0] ?? { engine: service.engine, dispatcherId: '' };
  const claimed: string[] = [];
  let hot = laneIds;
  while (hot.length > 0 && claimed.length < limit) {
    const { demands, more } = await shareByOrder(engine, [{ laneIds: hot, limit: limit - claimed.length }]);
    const passes = demands.length === 0 ? [] : await claimRuns(engine, { dispatcherId, demands });
    claimed.push(...passes.map(({ runId }) => runId));
    const isFull = ({ laneId, limit: share }: { laneId: number; limit: number }): boolean =>
      passes.filter((pass) => pass.laneId === laneId).length >= share;
    hot = [...new Set([...more, ...demands.filter(isFull).map(({ laneId }) => laneId)])];
  }
  return claimed;
}

it('runs of all workflows stand in one line, each where one would stand that came so much earlier', async () => {
  let overtaken = 0;
  await checkProperty(
    'priorityModel',
    fc.asyncProperty(moves, async (all) => {
      const { projectId, laneIds } = await open();
      const queue = new ModelQueue();
      for (const move of all) {
        if (move.kind === 'wait') clock.advance(move.ms);
        else if (move.kind === 'start') {
          const engine = members[move.by]?.engine ?? service.engine;
          const start = { projectId, app: 'default', name: `w${move.workflow}`, input: {} };
          const { runId } = await triggerWorkflow(engine, start);
          if (!runId) throw new Error('no run was started');
          const shiftMs = shifts[move.workflow] ?? 0;
          if (shiftMs > 0 && queue.size > 0) overtaken += 1;
          queue.add({ runId, workflow: move.workflow, at: clock.now().getTime() - shiftMs });
        } else if (move.isTogether) {
          const both = await Promise.all([0, 1].map((by) => claim(by, laneIds, move.limit)));
          queue.takeTogether(both.flat(), 2 * move.limit);
        } else queue.takeFirst(await claim(move.by, laneIds, move.limit), move.limit);
      }
      queue.takeFirst(await claim(0, laneIds, 1_000), 1_000);
    }),
    Number(process.env['RANDOM_COUNT'] || 25),
  );
  expect(overtaken).toBeGreaterThan(25);
}, 300_000);
