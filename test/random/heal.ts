import { expireApprovals } from '../../src/engine/approvals/index.ts';
import { resumeRun } from '../../src/engine/control/index.ts';
import { recoverPending } from '../../src/engine/events/index.ts';
import { recoverOutcomes } from '../../src/engine/outcomes/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../src/engine/routing/index.ts';
import { wakeDueRuns } from '../../src/engine/work/index.ts';
import { decideAs } from './actions.ts';
import { trace } from './coverage.ts';
import { Process } from './process.ts';
import type { World } from './world.ts';

const maxTurns = 150;

interface Open {
  runs: number;
  leftovers: number;
  /** The next due time of anything parked, from now. */
  in_ms: number | null;
}

/**
 * After the storm: the processes are gone for good, a new one starts, there is a runner, time passes. Then every run must
 * come to its end in a bounded number of turns: what the storm interrupted is recovered, no wake-up was lost.
 */
export async function heal(world: World): Promise<void> {
  await world.quiet();
  for (const process of world.processes) process.bury();
  const healer = await new Process(world.scene).start();
  world.processes = [healer];
  await world.setRunner(true);
  trace('heal', {});
  for (let turn = 0; turn < maxTurns; turn += 1) {
    await world.advance(6_500);
    await recover(world, healer);
    await work(world, healer);
    const open = await openOf(world);
    if (open.runs + open.leftovers === 0) return;
    if (open.in_ms !== null) await world.advance(Math.max(0, open.in_ms) + 1);
    else await rescue(world, healer, turn);
  }
  throw new Error(`runs do not come to an end: ${await describeOpen(world)}`);
}

/** What happens rarely: the look for what others left, and for runs without a runner. */
async function recover(world: World, healer: Process): Promise<void> {
  const { engine } = healer;
  await healer.tick();
  const { stranded, revived } = await lookAfterStranded(engine);
  note(world, 'stranded', stranded);
  note(world, 'revived', revived);
  note(world, 'overdue', (await failOverdueRuns(engine)).failed);
  note(world, 'events', await recoverPending(engine));
  note(world, 'outcomes', await recoverOutcomes(engine));
  note(world, 'expired approvals', await expireApprovals(engine));
}

function note({ scene }: World, what: string, count: number): void {
  if (count > 0) scene.coverage.count('recovery', what);
}

/** Wakes, claims and drives until there is nothing to do at this moment. */
async function work(world: World, healer: Process): Promise<void> {
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const { woken } = await wakeDueRuns(healer.engine);
    note(world, 'woken', woken);
    if ((await healer.claim(1000)) === 0) return;
    await Promise.all([...healer.flights.values()].map((flight) => healer.drive(flight)));
    await world.quiet();
  }
  throw new Error(`runs are claimed for ever: ${await describeOpen(world)}`);
}

async function openOf(world: World): Promise<Open> {
  const { db, projectId } = world.scene;
  const { rows } = await db.query<Open>({
    name: 'openOfProject',
    text: `
      select (select count(*)::int from run_work where project_id = $1) as runs,
        (select count(*)::int from run_outcome o join run r on r.id = o.run_id where r.project_id = $1)
          + (select count(*)::int from event_pending where project_id = $1) as leftovers,
        (select (extract(epoch from min(at) - now()) * 1000)::float8 from (
          select due_at as at from run_work where project_id = $1 and state <> 'paused'
          union all select expires_at from approval where project_id = $1 and status = 'pending') due) as in_ms`,
    values: [projectId],
  });
  const [row] = rows;
  if (!row) throw new Error('nothing was counted');
  return row;
}

/** What only the outside world can end: events that are waited for, approvals. */
async function rescue(world: World, healer: Process, turn: number): Promise<void> {
  const { db, projectId } = world.scene;
  const { rows: waits } = await db.query<{ event_name: string; event_if: string | null }>({
    name: 'waitsOfProject',
    text: 'select distinct event_name, event_if from run_wait where project_id = $1 order by 1, 2',
    values: [projectId],
  });
  for (const { event_name, event_if } of waits) {
    await world.send(healer, event_name, /"(\w+)"/.exec(event_if ?? '')?.[1] ?? 'red');
  }
  const { rows: approvals } = await db.query<{ id: string }>({
    name: 'approvalsOfProject',
    text: "select id from approval where project_id = $1 and status in ('pending', 'escalated')",
    values: [projectId],
  });
  for (const { id } of approvals) await decideAs(healer, projectId, id, turn);
  const { rows: paused } = await db.query<{ id: string }>({
    name: 'pausedOfProject',
    text: 'select id from run where project_id = $1 and paused_reason is not null',
    values: [projectId],
  });
  for (const { id: runId } of paused) await resumeRun(healer.engine, { projectId, runId, actor: 'test' });
}

async function describeOpen(world: World): Promise<string> {
  const { db, projectId } = world.scene;
  const { rows } = await db.query({
    text: `select w.*, r.status, r.workflow,
        (select json_agg(s) from (select name, attempt, op, status, run_after, will_retry from run_step
          where run_id = w.run_id order by index, attempt) s) as steps
      from run_work w join run r on r.id = w.run_id where w.project_id = $1`,
    values: [projectId],
  });
  const { rows: leftovers } = await db.query({
    text: 'select o.* from run_outcome o join run r on r.id = o.run_id where r.project_id = $1',
    values: [projectId],
  });
  return JSON.stringify({ rows, leftovers }, null, 1);
}
