import { expireApprovals } from '../../../src/engine/approvals/index.ts';
import { recoverConsequences } from '../../../src/engine/consequences/index.ts';
import { resumeRun } from '../../../src/engine/control/index.ts';
import { recoverPending } from '../../../src/engine/events/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { fireDueSchedules } from '../../../src/engine/schedules/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { trace } from '../kit/coverage.ts';
import { judgeWaits } from '../verdict/judgeWaits.ts';
import { lookAlone, relieve } from './budgets.ts';
import { decide } from './controls.ts';
import { flush } from './meetBuffers.ts';
import { sweep } from './meetFlow.ts';
import { Process } from './process.ts';
import type { World } from './world.ts';

/** Some storms leave thirty runs, whose children fail and are retried. */
const maxTurns = 2_000;

interface Open {
  runs: number;
  /** Runs that can be claimed. */
  ready: number;
  /** Runs that wait for a slot or under the ceiling. */
  gated: number;
  /**
   * Rows that only a sweep recovers: leases, runs without a runner, events and ends without
   * consequences.
   */
  leftovers: number;
  /** Runs that a budget paused. */
  held: number;
  /** The next due time of parked runs, in ms from now. */
  in_ms: number | null;
  /** The next deadline of an approval, in ms from now. */
  decision_in_ms: number | null;
  /** The next flush of a buffer, in ms from now; null without buffers. */
  flush_in_ms: number | null;
}

/**
 * After the storm, the old processes are gone, a new one starts, there is a runner, and time
 * passes. Every run must end in a bounded number of turns. So interrupted work is recovered, and no
 * wake-up was lost.
 */
export async function heal(world: World): Promise<void> {
  await world.quiet();
  for (const process of world.processes) process.bury();
  const healer = await new Process(world.scene).start();
  world.processes = [healer];
  await world.setRunner(true);
  trace('heal', {});
  if (world.hasCrons) await endSchedules(world, healer);
  await recover(world, healer);
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const open = await openOf(world);
    if (open.runs + open.leftovers === 0 && open.flush_in_ms === null) return;
    if (open.ready === 0) await judgeWaits(world.scene, healer);
    // A buffered start may wait for the end of a run that waits for something else.
    if (open.flush_in_ms !== null && turn % 8 === 7) {
      await rescue(world, healer, turn);
      await relieve(world, healer);
    } else if (open.ready > 0) await work(world, healer);
    else if (open.gated > 0 && (await sweep(world, healer)) > 0) continue;
    else if (open.flush_in_ms !== null && open.flush_in_ms <= 0) await flush(world, healer);
    else if (open.in_ms !== null && open.in_ms <= 0) await wake(world, healer);
    else if (open.leftovers > 0) await recover(world, healer);
    else if (nextOf(open) < Number.POSITIVE_INFINITY) await waitForNext(world, healer, open);
    else if (open.held > 0) await relieve(world, healer);
    else await rescue(world, healer, turn);
  }
  throw new Error(`runs do not come to an end: ${await describeOpen(world)}`);
}

/** Fires due schedules, then removes all schedules, which would never end. */
async function endSchedules(world: World, healer: Process): Promise<void> {
  const { db, ledger, projectId } = world.scene;
  const text = `select coalesce(max(next_fire_at) <= now(), false) as "isDue", now() as now from cron_schedule s
    join workflow w on w.id = s.workflow_id where w.project_id = $1`;
  for (let turn = 0; turn < maxTurns && !ledger.schedulesEndedAt; turn += 1) {
    while ((await fireDueSchedules(healer.engine)).again);
    const { rows } = await db.query<{ isDue: boolean; now: Date }>({ name: 'dueSchedules', text, values: [projectId] });
    if (!rows[0]?.isDue) ledger.schedulesEndedAt = rows[0]?.now;
  }
  if (!ledger.schedulesEndedAt) throw new Error('schedules are due for ever');
  await world.register({ crons: false });
}

/** Rare duties: the sweep of leftovers, and of runs without a runner. */
async function recover(world: World, healer: Process): Promise<void> {
  const { engine } = healer;
  await healer.tickAlone((ms) => world.advance(ms));
  const { stranded, revived } = await lookAfterStranded(engine);
  note(world, 'stranded', stranded);
  note(world, 'revived', revived);
  note(world, 'overdue', (await failOverdueRuns(engine)).failed);
  note(world, 'events', await recoverPending(engine));
  note(world, 'outcomes', await recoverConsequences(engine));
  note(world, 'expired approvals', await expireApprovals(engine));
}

function note({ scene }: World, what: string, count: number): void {
  if (count > 0) scene.coverage.count('recovery', what);
}

/** The time until something is due, in ms. */
const nextOf = ({ in_ms, decision_in_ms, flush_in_ms }: Open): number =>
  Math.min(in_ms ?? Infinity, decision_in_ms ?? Infinity, flush_in_ms ?? Infinity);

/** Advances to the next due moment. */
async function waitForNext(world: World, { engine }: Process, open: Open): Promise<void> {
  const inMs = Math.max(0, nextOf(open)) + 1;
  await world.advance(inMs);
  if (open.decision_in_ms !== null && open.decision_in_ms <= inMs) {
    note(world, 'expired approvals', await expireApprovals(engine));
  }
}

async function wake(world: World, { engine }: Process): Promise<void> {
  note(world, 'woken', (await wakeDueRuns(engine)).woken);
}

/** Claims and drives ready runs. */
async function work(world: World, healer: Process): Promise<void> {
  await healer.claim(1000);
  await Promise.all([...healer.flights.values()].map((flight) => healer.drive(flight)));
  await world.quiet();
  await lookAlone(world, healer);
}

async function openOf(world: World): Promise<Open> {
  const { db, projectId } = world.scene;
  const { rows } = await db.query<Open>({
    name: 'openOfProject',
    text: `
      select count(*)::int as runs, (count(*) filter (where state = 'ready'))::int as ready,
        (count(*) filter (where state = 'gated'))::int as gated,
        (select count(*)::int from run r where r.project_id = $1 and r.ended_at is null
          and r.paused_reason = 'budget') as held,
        (count(*) filter (where state in ('leased', 'stranded')))::int
          + (select count(*)::int from run_outcome o join run r on r.id = o.run_id where r.project_id = $1)
          + (select count(*)::int from event_pending where project_id = $1) as leftovers,
        (extract(epoch from min(due_at) filter (where state = 'parked') - now()) * 1000)::float8 as in_ms,
        (select (extract(epoch from min(expires_at) - now()) * 1000)::float8 from approval
          where project_id = $1 and status = 'pending') as decision_in_ms,
        (select (extract(epoch from min(flush_at) - now()) * 1000)::float8 from flow_buffer
          where project_id = $1) as flush_in_ms
      from run_work where project_id = $1`,
    values: [projectId],
  });
  const [row] = rows;
  if (!row) throw new Error('nothing was counted');
  return row;
}

/** Ends what only the outside world can end: waits for events, approvals, pauses. */
async function rescue(world: World, healer: Process, turn: number): Promise<void> {
  const { db, projectId } = world.scene;
  const { rows } = await db.query<{ what: 'wait' | 'approval' | 'pause'; id: string; guard: string | null }>({
    name: 'rescueProject',
    text: `
      select distinct 'wait' as what, event_name as id, event_if as guard from run_wait where project_id = $1
      union all
      select 'approval', id::text, null from approval where project_id = $1 and status in ('pending', 'escalated')
      union all
      select 'pause', id::text, null from run where project_id = $1 and paused_reason = 'manual' and ended_at is null
      order by 1, 2, 3`,
    values: [projectId],
  });
  for (const { what, id, guard } of rows) {
    if (what === 'wait') await world.send(healer, id, /"(\w+)"/.exec(guard ?? '')?.[1] ?? 'red');
    if (what === 'approval') {
      await decide(world.scene, healer, { approvalId: id, pick: turn, decidedBy: 'healer' });
    }
    if (what === 'pause') await resumeRun(healer.engine, { projectId, runId: id, actor: 'test' });
  }
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
