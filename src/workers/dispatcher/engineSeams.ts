import type { EngineContext } from '../../engine/context.ts';
import { registerDispatcher, retireDispatcher, tickDispatcher } from '../../engine/dispatchers/index.ts';
import { offerSeats, type Seat } from '../../engine/ingest/index.ts';
import { claimPasses, releasePasses, startPass } from '../../engine/passes/index.ts';
import { pinnedLanes, readNews } from '../../engine/routing/index.ts';
import {
  disconnectRunners,
  listHttpRunners,
  nextConnectionNo,
  registerRunner,
  strayConnections,
  touchRunners,
} from '../../engine/runners/index.ts';
import { readInvokeSecrets } from '../../engine/secrets/index.ts';
import { releaseSuspects, shareByOrder } from '../../engine/work/index.ts';
import type { LaneDirectory } from './routing/laneFinder.ts';
import type { RunnerRegistry } from './seams/runners.ts';
import type { PassSeat, Work } from './seams/work.ts';

/** Where the dispatcher meets the engine. */
export interface EngineSeams {
  work: Work;
  lanes: LaneDirectory;
  registry: RunnerRegistry;
}

/** The seams of a real engine. */
export const connectEngine = (ctx: EngineContext): EngineSeams => ({
  work: connectWork(ctx),
  lanes: connectLanes(ctx),
  registry: connectRegistry(ctx),
});

const connectWork = (ctx: EngineContext): Work => ({
  register: () => registerDispatcher(ctx),
  tick: (dispatcherId) => tickDispatcher(ctx, dispatcherId),
  releaseSuspects: (dispatcherId) => releaseSuspects(ctx, dispatcherId),
  retire: (dispatcherId) => retireDispatcher(ctx, dispatcherId),
  news: (question) => readNews(ctx, question),
  offerSeats: (give) => offerSeats(ctx, (laneId) => seatOf(ctx, give(laneId))),
  share: (pools) => shareByOrder(ctx, pools),
  claim: (dispatcherId, demands) => claimPasses(ctx, { dispatcherId, demands }),
  release: (passes) => releasePasses(ctx, passes),
});

const connectLanes = (ctx: EngineContext): LaneDirectory => ({
  ensure: (keys) => ctx.lanes.ensure(keys),
  describe: (ids) => ctx.lanes.describe(ids),
  pinnedTo: (runners) => pinnedLanes(ctx, runners),
});

const connectRegistry = (ctx: EngineContext): RunnerRegistry => ({
  nextConnectionNo: () => nextConnectionNo(ctx),
  register: (connection) => registerRunner(ctx, connection),
  disconnect: (connectionIds) => disconnectRunners(ctx, connectionIds),
  touch: (connectionIds) => touchRunners(ctx, connectionIds),
  strayConnections: (connections) => strayConnections(ctx, connections),
  httpRunners: () => listHttpRunners(ctx),
  invokeSecrets: (scope) => readInvokeSecrets(ctx, scope),
});

/** A run that starts in a seat gets its pass there. */
const seatOf = (ctx: EngineContext, seat: PassSeat | undefined): Seat | undefined =>
  seat && {
    dispatcherId: seat.dispatcherId,
    take: (run, startedAt) =>
      void startPass(ctx, run, { dispatcherId: seat.dispatcherId, startedAt }).then((pass) =>
        pass ? seat.take(pass) : seat.leave(),
      ),
    leave: () => seat.leave(),
  };
