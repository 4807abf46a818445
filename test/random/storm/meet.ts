import { expireApprovals } from '../../../src/engine/approvals/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { cancel, decide, pause, resume } from './controls.ts';
import type { Flight, Process } from './process.ts';
import { agreeThatNothingIsUntold } from './untold.ts';
import type { World } from './world.ts';

/** A parked step of an unfinished run, with its possible ends. */
interface OpenStep {
  run_id: string;
  state: string;
  op: string;
  event: string | null;
  key: string | null;
  child_run_id: string | null;
  approval_id: string | null;
  due_in_ms: number | null;
}

const openSteps = `
  select s.run_id, w.state, s.op, t.event_name as event, substring(t.event_if from '"([a-z]+)"') as key, s.child_run_id,
    a.id as approval_id,
    (extract(epoch from coalesce(a.expires_at, s.run_after) - now()) * 1000)::float8 as due_in_ms
  from run_work w
  join run_step s on s.run_id = w.run_id and s.status = 'waiting'
  left join run_wait t on t.run_id = s.run_id and t.step_index = s.index
  left join approval a on a.run_id = s.run_id and a.step_index = s.index and a.status in ('pending', 'escalated')
  where w.project_id = $1
  order by w.state = 'leased' desc, s.run_id, s.index`;

/**
 * The critical races: a pass is about to park or continue while the event that it waits for
 * happens; or a run is stopped while it wakes. The answer of the pass belongs to the former memo.
 */
export async function meet(world: World, process: Process, pick: number): Promise<void> {
  let open = await openOf(world);
  if (!open.some(isLeased)) {
    // Lets runs proceed, so that some run in flight waits.
    await process.claim(3);
    await Promise.all([...process.flights.values()].map((flight) => process.answer(flight)));
    open = await openOf(world);
  }
  const leased = open.filter(isLeased);
  const among = leased.length > 0 ? leased : open;
  const step = among[pick % Math.max(1, among.length)];
  if (!step) return;
  const here = holderOf(world, step.run_id);
  world.scene.coverage.count('meeting', `${here ? 'in flight' : step.state}, ${step.op}`);
  await Promise.all([
    turnsLater(world, pick % 7, () => (here ? answer(here) : process.claim(3))),
    happen(world, process, step, pick),
  ]);
  await agreeThatNothingIsUntold(world.scene);
}

const isLeased = ({ state }: OpenStep): boolean => state === 'leased';

async function openOf({ scene: { db, projectId } }: World): Promise<OpenStep[]> {
  return (await db.query<OpenStep>({ name: 'openSteps', text: openSteps, values: [projectId] })).rows;
}

/**
 * Delays `work` by turns: a move of one statement would nearly always end before a move of four.
 */
export async function turnsLater(world: World, turns: number, work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await world.scene.turns.take('later');
  await work();
}

/** The process that executes a run, with the pass. */
export interface Holder {
  process: Process;
  flight: Flight;
}

export function holderOf({ processes }: World, runId: string): Holder | undefined {
  for (const process of processes) {
    const flight = process.flights.get(runId);
    if (flight && !flight.isBusy && !process.mortal.isDead) return { process, flight };
  }
  return undefined;
}

export async function answer({ process, flight }: Holder): Promise<void> {
  await process.attempt(() => process.answer(flight));
}

async function happen(world: World, process: Process, step: OpenStep, pick: number): Promise<void> {
  const what = pick >> 3;
  if (what % 8 === 0) return pause(world, process, step.run_id);
  if (what % 8 === 1) return resume(world, process, step.run_id);
  if (what % 16 === 2) return cancel(world, process, step.run_id);
  if (step.event !== null && what % 4 > 0) return world.send(process, step.event, step.key ?? 'red');
  if (step.approval_id !== null && what % 4 > 0) return decideTogether(world, process, step.approval_id, what);
  if (step.child_run_id !== null) return endChild(world, process, step.child_run_id, what);
  await world.advance(Math.max(0, step.due_in_ms ?? 0) + 1);
  await Promise.all([expireApprovals(process.engine), wakeDueRuns(process.engine)]);
}

/** Two contrary decisions, and often the deadline at the same moment. */
async function decideTogether(world: World, process: Process, approvalId: string, what: number): Promise<void> {
  const [first, second] = world.processes;
  const others = [first, second].flatMap((each, position) =>
    each
      ? [
          each.attempt(() =>
            decide(world.scene, each, { approvalId, pick: what + position, decidedBy: `decider ${position}` }),
          ),
        ]
      : [],
  );
  if (what % 3 > 0) await Promise.all(others);
  else await Promise.all([...others, world.advance(8_001).then(() => expireApprovals(process.engine))]);
}

/** The child ends by itself, if that takes one more answer; otherwise it is ended. */
async function endChild(world: World, process: Process, runId: string, what: number): Promise<void> {
  const flying = holderOf(world, runId);
  if (flying) {
    await answer(flying);
    return;
  }
  if (what % 3 === 0) return cancel(world, process, runId);
  await process.claim(3);
  const claimed = holderOf(world, runId);
  if (claimed) await answer(claimed);
}

/**
 * The runner of a silent process answers late. Its runs were given to the other process, which
 * executes them at the same moment.
 */
export async function steal(world: World, process: Process, pick: number): Promise<void> {
  if (process.flights.size === 0) await process.claim(3);
  const flights = [...process.flights.values()].filter(({ isBusy }) => !isBusy);
  const flight = flights[pick % Math.max(1, flights.length)];
  const slot = world.processes.indexOf(process) === 0 ? 1 : 0;
  const thief = await world.processAt(slot);
  // Another move may have answered it meanwhile.
  if (!flight || flight.isBusy || process.flights.get(flight.pass.runId) !== flight) return;
  if (!flight.reply) process.invoke(flight);
  await thief.attempt(async () => {
    await thief.tickAlone((ms) => world.advance(ms));
    await thief.claim(3);
  });
  const stolen = thief.flights.get(flight.pass.runId);
  if (stolen) world.scene.coverage.count('meeting', 'stolen');
  await Promise.all([
    turnsLater(world, pick % 3, () => process.answer(flight)),
    stolen && turnsLater(world, pick % 4, () => answer({ process: thief, flight: stolen })),
  ]);
}
