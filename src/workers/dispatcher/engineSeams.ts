import type { EngineContext } from '../../engine/context.ts';
import { registerDispatcher, retireDispatcher, tickDispatcher } from '../../engine/dispatchers/index.ts';
import { type NewRun, offerSeats, type Seat } from '../../engine/ingest/index.ts';
import {
  claimRuns,
  invokeText,
  type Pass,
  refuseOversized,
  settlePass,
  startedPass,
} from '../../engine/passes/index.ts';
import { pinnedLanes, readNews, strayConnections } from '../../engine/routing/index.ts';
import { disconnectRunners, listHttpRunners, registerRunner, touchRunners } from '../../engine/runners/index.ts';
import { readInvokeSecrets } from '../../engine/secrets/index.ts';
import { releaseRuns, releaseSuspects, shareByOrder } from '../../engine/work/index.ts';
import type { LaneDirectory } from './routing/laneFinder.ts';
import type { RunnerRegistry } from './runners.ts';
import { logUnanswered } from './unanswered.ts';
import type { ClaimedPass, Demand, PassSeat, Work } from './work.ts';

/** Where the dispatcher meets the engine. */
export interface EngineSeams<P extends ClaimedPass> {
  work: Work<P>;
  lanes: LaneDirectory;
  registry: RunnerRegistry;
}

/** The seams of a real engine. */
export const connectEngine = (ctx: EngineContext): EngineSeams<Pass> => ({
  work: connectWork(ctx),
  lanes: connectLanes(ctx),
  registry: connectRegistry(ctx),
});

const connectWork = (ctx: EngineContext): Work<Pass> => ({
  register: () => registerDispatcher(ctx),
  tick: (dispatcherId) => tickDispatcher(ctx, dispatcherId),
  releaseSuspects: (dispatcherId) => releaseSuspects(ctx, dispatcherId),
  retire: (dispatcherId) => retireDispatcher(ctx, dispatcherId),
  news: (question) => readNews(ctx, question),
  offerSeats: (give) => offerSeats(ctx, (laneId) => seatOf(ctx, give(laneId))),
  share: (pools) => shareByOrder(ctx, pools),
  claim: (dispatcherId, demands) => claimSendable(ctx, { dispatcherId, demands }),
  invokeText: (pass) => invokeText(pass),
  settle: (pass, reply) => {
    if (reply.kind === 'transport') logUnanswered(ctx.log, pass, reply);
    return settlePass(ctx, pass, reply);
  },
  release: (passes) => releasePasses(ctx, passes),
});

const connectLanes = (ctx: EngineContext): LaneDirectory => ({
  ensure: (keys) => ctx.lanes.ensure(keys),
  describe: (ids) => ctx.lanes.describe(ids),
  pinnedTo: (runners) => pinnedLanes(ctx, runners),
});

const connectRegistry = (ctx: EngineContext): RunnerRegistry => ({
  register: ({ connectionId, dispatcherId, ...given }) =>
    registerRunner(ctx, { ...given, connection: { dispatcherId, connectionId } }),
  disconnect: (connectionIds) => disconnectRunners(ctx, connectionIds),
  touch: (connectionIds) => touchRunners(ctx, connectionIds),
  strayConnections: (connections) => strayConnections(ctx, connections),
  httpRunners: () => listHttpRunners(ctx),
  invokeSecrets: (scope) => readInvokeSecrets(ctx, scope),
});

const seatOf = (ctx: EngineContext, seat: PassSeat<Pass> | undefined): Seat | undefined =>
  seat && {
    dispatcherId: seat.dispatcherId,
    take: (run, startedAt) => void sitDown(ctx, seat, { run, startedAt }),
    leave: () => seat.leave(),
  };

async function sitDown(
  ctx: EngineContext,
  seat: PassSeat<Pass>,
  { run, startedAt }: { run: NewRun; startedAt: Date },
): Promise<void> {
  const { dispatcherId } = seat;
  let pass: Pass;
  try {
    pass = await startedPass(ctx, run, { dispatcherId, startedAt });
  } catch (error) {
    ctx.log.warn({ err: error, runId: run.runId }, 'a run that was leased with its start is handed back');
    seat.leave();
    await releaseRuns(ctx, dispatcherId, [run.runId]);
    return;
  }
  seat.take(pass);
}

/** Claims runs; one whose memo outgrew the limit while it was parked fails instead of being sent (4.10). */
async function claimSendable(
  ctx: EngineContext,
  claim: { dispatcherId: string; demands: readonly Demand[] },
): Promise<Pass[]> {
  const passes = await claimRuns(ctx, claim);
  const isOversized = (pass: Pass): boolean => pass.memo.bytes > ctx.settings.limits.memoMaxBytes;
  for (const pass of passes.filter(isOversized)) await refuse(ctx, pass);
  return passes.filter((pass) => !isOversized(pass));
}

async function refuse(ctx: EngineContext, pass: Pass): Promise<void> {
  try {
    await refuseOversized(ctx, pass);
  } catch (error) {
    ctx.log.warn({ err: error, runId: pass.runId }, 'a run with too large a memo could not be failed');
    await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
  }
}

/** Passes of one dispatcher share its id, unless it had to take a new one meanwhile. */
async function releasePasses(ctx: EngineContext, passes: readonly Pass[]): Promise<void> {
  const byDispatcher = new Map<string, string[]>();
  for (const { dispatcherId, runId } of passes) {
    const runIds = byDispatcher.get(dispatcherId);
    if (runIds) runIds.push(runId);
    else byDispatcher.set(dispatcherId, [runId]);
  }
  for (const [dispatcherId, runIds] of byDispatcher) await releaseRuns(ctx, dispatcherId, runIds);
}
