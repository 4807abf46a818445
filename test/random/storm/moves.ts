import { expireApprovals } from '../../../src/engine/approvals/index.ts';
import { recoverConsequences } from '../../../src/engine/consequences/index.ts';
import { bulkCancelRuns, bulkReplayRuns } from '../../../src/engine/control/index.ts';
import { recoverPending } from '../../../src/engine/events/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { fireDueSchedules } from '../../../src/engine/schedules/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { eventNames, keys, levels, startOf, workflowAt } from '../program/program.ts';
import { look } from './budgets.ts';
import { cancel, decide, fork, pause, resume, retryFromStep, tolerateRefusal } from './controls.ts';
import { meet, steal } from './meet.ts';
import { flush, gather } from './meetBuffers.ts';
import { contend, rush, sweep } from './meetFlow.ts';
import { afford } from './meetSpend.ts';
import type { Flight, Process } from './process.ts';
import type { World } from './world.ts';

/** A possible move. `pick` chooses among the present candidates. */
export type Move = (world: World, process: Process, pick: number) => Promise<void>;

const jumps = [200, 1_100, 2_600, 7_000, 12_000, 30_000];
/** The maximum number of runs of a case, before they are replayed in bulk. */
const maxRuns = 12;

const flightOf = ({ flights }: Process, pick: number): Flight | undefined => {
  const free = [...flights.values()].filter((flight) => !flight.isBusy);
  return free[pick % Math.max(1, free.length)];
};

/** An id from the result of a query about the project. */
export async function pickId(world: World, text: string, pick: number): Promise<string | undefined> {
  const { db, projectId } = world.scene;
  const { rows } = await db.query<{ id: string }>({ name: `pick ${text}`.slice(0, 60), text, values: [projectId] });
  return rows[pick % Math.max(1, rows.length)]?.id;
}

const unfinished = 'select run_id as id from run_work where project_id = $1 order by run_id';

/** Events that end a wait, with their key. */
const awaitedEvents = `
  select distinct event_name || ' ' || coalesce(substring(event_if from '"([a-z]+)"'), 'red') as id
  from run_wait where project_id = $1 order by id`;

export const moves = {
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
  meet,
  steal,
  tick: async (world, process, pick) => {
    if (pick % 2 === 0) await process.tick();
    else await process.tickAlone((ms) => world.advance(ms));
  },
  advance: async (world, _process, pick) => {
    await world.advance(jumps[pick % jumps.length] ?? 0);
  },
  wake: async (_world, process) => {
    await wakeDueRuns(process.engine);
    await expireApprovals(process.engine);
  },
  strand: async ({ scene }, process) => {
    const { stranded, revived } = await lookAfterStranded(process.engine);
    if (stranded > 0) scene.coverage.count('recovery', 'stranded');
    if (revived > 0) scene.coverage.count('recovery', 'revived');
    await failOverdueRuns(process.engine);
  },
  recover: async ({ scene }, process) => {
    if ((await recoverPending(process.engine)) > 0) scene.coverage.count('recovery', 'events');
    if ((await recoverConsequences(process.engine)) > 0) scene.coverage.count('recovery', 'outcomes');
  },
  fire: async (world, process) => {
    if (!world.hasCrons) return;
    const { fired } = await fireDueSchedules(process.engine);
    if (fired > 0) world.scene.coverage.count('cron', 'fired');
  },
  runner: async (world) => {
    await world.setRunner(world.isDeserted);
  },
  event: async (world, process, pick) => {
    const awaited = await pickId(world, awaitedEvents, pick);
    const [name = '', key = ''] =
      pick % 4 > 0 && awaited ? awaited.split(' ') : [eventNames[pick % 2], keys[(pick >> 1) % 2]];
    await world.send(process, name, key);
  },
  start: async (world, process, pick) => {
    await world.send(process, startOf(pick % levels), keys[pick % 4 === 0 ? 1 : 0]);
  },
  trigger: async (world, process, pick) => {
    process.isWelcoming = pick % 4 > 0;
    const key = keys[(pick >> 1) % 3];
    await world.trigger(process, workflowAt(pick % levels), { hasKey: pick % 5 === 0, key });
    process.isWelcoming = false;
  },
  cancel: async (world, process, pick) => {
    const runId = await pickId(world, unfinished, pick);
    if (runId) await cancel(world, process, runId);
  },
  pause: async (world, process, pick) => {
    const runId = await pickId(world, unfinished, pick);
    if (runId) await pause(world, process, runId);
  },
  resume: async (world, process, pick) => {
    const paused = 'select id from run where project_id = $1 and paused_reason is not null order by id';
    const runId = await pickId(world, paused, pick);
    if (runId) await resume(world, process, runId);
  },
  replay: async (world, process, pick) => {
    const over = 'select id from run where project_id = $1 and ended_at is not null order by id';
    const runId = await pickId(world, over, pick);
    if (runId) await fork(world, process, runId);
  },
  retry: async (world, process, pick) => {
    const steps = `
      select r.id || ' ' || s.name as id from run r join run_step s on s.run_id = r.id
      where r.project_id = $1 and r.ended_at is not null order by r.id, s.index, s.attempt`;
    const [runId, step] = (await pickId(world, steps, pick))?.split(' ') ?? [];
    if (runId && step) await retryFromStep(world, process, runId, step);
  },
  cancelAll: async (world, process, pick) => {
    const { projectId, ledger } = world.scene;
    const workflow = workflowAt(pick % levels);
    ledger.cancelledInBulk.add(workflow);
    await tolerateRefusal(bulkCancelRuns(process.engine, { projectId, actor: 'test', filter: { workflow } }));
  },
  replayAll: async (world, process, pick) => {
    if ((await world.countRuns()) > maxRuns) return;
    const { projectId } = world.scene;
    const filter = { workflow: workflowAt(pick % levels) };
    await tolerateRefusal(bulkReplayRuns(process.engine, { projectId, actor: 'test', filter }));
  },
  rush: (world, _process, pick) => rush(world, pick),
  contend,
  gather: async (world, process, pick) => {
    if (!(await gather(world, pick))) await contend(world, process, pick);
  },
  afford: async (world, process, pick) => {
    if (!(await afford(world, process, pick))) await contend(world, process, pick);
  },
  look: async (world, process) => {
    await look(world, process);
  },
  flush: async (world, process) => {
    await flush(world, process);
  },
  gates: async (world, process) => {
    await sweep(world, process);
  },
  decide: async (world, process, pick) => {
    const open = "select id from approval where project_id = $1 and status in ('pending', 'escalated') order by id";
    const approvalId = await pickId(world, open, pick);
    if (approvalId) await decide(world.scene, process, { approvalId, pick, decidedBy: 'somebody' });
  },
} as const satisfies Record<string, Move>;

export type MoveKind = keyof typeof moves;
