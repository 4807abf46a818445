import fc from 'fast-check';
import { decideApproval, expireApprovals } from '../../src/engine/approvals/index.ts';
import { cancelRun, pauseRun, replayRun, resumeRun } from '../../src/engine/control/index.ts';
import { HoldfastError } from '../../src/engine/errors.ts';
import { recoverPending } from '../../src/engine/events/index.ts';
import { recoverOutcomes } from '../../src/engine/outcomes/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../src/engine/routing/index.ts';
import { wakeDueRuns } from '../../src/engine/work/index.ts';
import { trace } from './coverage.ts';
import { mortalStatements } from './met.ts';
import type { Flight, Process } from './process.ts';
import { eventNames, keys, levels, startOf } from './program.ts';
import type { World } from './world.ts';

/** One move of the scheduler. Numbers choose among what there is at that moment. */
export interface Action {
  kind: keyof typeof moves;
  by: number;
  pick: number;
  /** The process dies at that statement from now, in this move or a later one, or at one picked by name; 0: it lives. */
  dieIn: number;
  /** Together with the next move, not before it. */
  isPaired: boolean;
}

const jumps = [200, 1_100, 2_600, 7_000, 12_000, 30_000];

type Move = (world: World, process: Process, pick: number) => Promise<void>;

const flightOf = ({ flights }: Process, pick: number): Flight | undefined => {
  const free = [...flights.values()].filter((flight) => !flight.isBusy);
  return free[pick % Math.max(1, free.length)];
};

async function idOf(world: World, text: string, pick: number): Promise<string | undefined> {
  const { db, projectId } = world.scene;
  const { rows } = await db.query<{ id: string }>({ name: `idOf ${text}`.slice(0, 60), text, values: [projectId] });
  return rows[pick % Math.max(1, rows.length)]?.id;
}

/** What somebody asked for too late, or twice, is refused; that is an answer, too. */
async function tolerateRefusal(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
  }
}

const unfinished = 'select run_id as id from run_work where project_id = $1 order by run_id';

/** Events that end a wait, with their key. */
const awaitedEvents = `
  select distinct event_name || ' ' || coalesce(substring(event_if from '"([a-z]+)"'), 'red') as id
  from run_wait where project_id = $1 order by id`;

const moves = {
  claim: async (_world, process, pick) => {
    await process.claim(1 + (pick % 3));
  },
  invoke: async (_world, process, pick) => {
    const flight = flightOf(process, pick);
    if (flight && !flight.reply) process.invoke(flight, pick % 4 === 0);
  },
  answer: async (_world, process, pick) => {
    if (process.flights.size === 0) await process.claim(2);
    const flight = flightOf(process, pick);
    if (flight) await process.answer(flight, pick % 4 === 0);
  },
  repeat: async (_world, process) => {
    await process.repeat();
  },
  drop: async ({ scene }, process, pick) => {
    const flight = flightOf(process, pick);
    if (!flight) return;
    const { runId } = flight.pass;
    if (!flight.reply) process.invoke(flight);
    scene.ledger.lose(runId);
    scene.ledger.dropped.set(runId, (scene.ledger.dropped.get(runId) ?? 0) + 1);
    await process.settle(flight, { kind: 'transport', reason: 'dropped', socketLost: pick % 2 === 0 });
  },
  tick: async (_world, process) => {
    await process.tick();
  },
  advance: async (world, _process, pick) => {
    await world.advance(jumps[pick % jumps.length] ?? 0);
  },
  wake: async (_world, process) => {
    await wakeDueRuns(process.engine);
    await expireApprovals(process.engine);
  },
  strand: async (_world, process) => {
    await lookAfterStranded(process.engine);
    await failOverdueRuns(process.engine);
  },
  recover: async ({ scene }, process) => {
    if ((await recoverPending(process.engine)) > 0) scene.coverage.count('recovery', 'events');
    if ((await recoverOutcomes(process.engine)) > 0) scene.coverage.count('recovery', 'outcomes');
  },
  runner: async (world) => {
    await world.setRunner(world.isDeserted);
  },
  event: async (world, process, pick) => {
    const awaited = await idOf(world, awaitedEvents, pick);
    const [name = '', key = ''] =
      pick % 4 > 0 && awaited ? awaited.split(' ') : [eventNames[pick % 2], keys[(pick >> 1) % 2]];
    await world.send(process, name, key);
  },
  start: async (world, process, pick) => {
    await world.send(process, startOf(pick % levels), 'red');
  },
  cancel: async (world, process, pick) => {
    const { projectId, ledger } = world.scene;
    const runId = await idOf(world, unfinished, pick);
    if (!runId) return;
    ledger.cancelled.add(runId);
    await tolerateRefusal(cancelRun(process.engine, { projectId, runId, actor: 'test' }));
  },
  pause: async (world, process, pick) => {
    const { projectId } = world.scene;
    const runId = await idOf(world, unfinished, pick);
    if (runId) await tolerateRefusal(pauseRun(process.engine, { projectId, runId, actor: 'test' }));
  },
  resume: async (world, process, pick) => {
    const { projectId } = world.scene;
    const runId = await idOf(
      world,
      'select id from run where project_id = $1 and paused_reason is not null order by id',
      pick,
    );
    if (runId) await tolerateRefusal(resumeRun(process.engine, { projectId, runId, actor: 'test' }));
  },
  replay: async (world, process, pick) => {
    const { projectId } = world.scene;
    const over = `select id from run where project_id = $1 and ended_at is not null and parent_run_id is null
      and on_failure_of is null order by id`;
    const runId = await idOf(world, over, pick);
    if (runId) await tolerateRefusal(replayRun(process.engine, { projectId, runId, actor: 'test' }));
  },
  decide: async (world, process, pick) => {
    const { projectId } = world.scene;
    const open = "select id from approval where project_id = $1 and status in ('pending', 'escalated') order by id";
    const approvalId = await idOf(world, open, pick);
    if (approvalId) await tolerateRefusal(decideAs(process, projectId, approvalId, pick));
  },
} as const satisfies Record<string, Move>;

export const decideAs = (process: Process, projectId: string, approvalId: string, pick: number): Promise<void> =>
  decideApproval(process.engine, {
    projectId,
    approvalId,
    status: pick % 2 === 0 ? 'approved' : 'denied',
    args: undefined,
    decider: { decidedBy: 'somebody', decidedVia: 'api' },
    actor: 'test',
  });

const weights: Record<keyof typeof moves, number> = {
  claim: 14,
  invoke: 3,
  answer: 20,
  repeat: 1,
  drop: 2,
  tick: 3,
  advance: 6,
  wake: 5,
  strand: 1,
  recover: 1,
  runner: 1,
  event: 5,
  start: 1,
  cancel: 1,
  pause: 2,
  resume: 2,
  replay: 1,
  decide: 2,
};

const kinds = Object.keys(moves).filter((kind): kind is keyof typeof moves => kind in moves);

export const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.record({
    kind: fc.oneof(...kinds.map((kind) => ({ weight: weights[kind], arbitrary: fc.constant(kind) }))),
    by: fc.nat({ max: 1 }),
    pick: fc.nat({ max: 1000 }),
    dieIn: fc.oneof(
      { weight: 14, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }) },
    ),
    isPaired: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  }),
  { minLength: 0, maxLength: 45, size: 'max' },
);

/** Makes one move; a process that dies of it is replaced. */
async function move(world: World, { kind, by, pick, dieIn }: Action): Promise<void> {
  const process = world.processes[by];
  if (!process) return;
  world.scene.coverage.count('move', kind);
  trace('move', { kind, by, pick, dieIn });
  if (dieIn % 3 > 0) process.mortal.dieIn(dieIn);
  else if (dieIn > 0)
    process.mortal.dieAt(`${mortalStatements[pick % mortalStatements.length]}:${dieIn % 2 > 0 ? 'before' : 'after'}`);
  await process.attempt(() => moves[kind](world, process, pick));
}

/** Plays the storm: one move at a time, or two at once. */
export async function storm(world: World, all: readonly Action[]): Promise<void> {
  for (let at = 0; at < all.length; at += 1) {
    const together = [];
    for (; at < all.length; at += 1) {
      const action = all[at];
      if (action) together.push(action);
      if (!action?.isPaired) break;
    }
    await Promise.all(together.map((action) => move(world, action)));
    await world.replaceDead();
  }
}
