import type { EngineContext } from '../../engine/context.ts';
import { registerDispatcher, retireDispatcher, tickDispatcher } from '../../engine/dispatchers/index.ts';
import { type EagerStart, offerEagerStarts } from '../../engine/ingest/index.ts';
import { claimPasses, releasePasses, startPass, wakePass } from '../../engine/passes/index.ts';
import { pinnedLanes, pollChanges } from '../../engine/routing/index.ts';
import {
  disconnectRunners,
  listHttpRunners,
  missedRunners,
  nextConnectionNo,
  registerRunner,
  strayConnections,
  touchRunners,
} from '../../engine/runners/index.ts';
import { readInvokeSecrets } from '../../engine/secrets/index.ts';
import { type EagerWake, offerEagerWakes, releaseSuspects } from '../../engine/work/index.ts';
import type { LaneDirectory } from './routing/laneFinder.ts';
import type { RunnerRegistry } from './seams/runners.ts';
import type { EagerPass, Work } from './seams/work.ts';

/** The functions of the engine that the dispatcher calls. */
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
  poll: (question) => pollChanges(ctx, question),
  offerSlots: (reserve) => {
    const stops = [
      offerEagerStarts(ctx, (laneId) => eagerStart(ctx, reserve(laneId, 'start'))),
      offerEagerWakes(ctx, (laneId, isEarly) => eagerWake(ctx, reserve(laneId, isEarly ? 'earlyWake' : 'wake'))),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  claim: (dispatcherId, groups) => claimPasses(ctx, { dispatcherId, groups }),
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
  touch: (connectionIds, inFlight) => touchRunners(ctx, connectionIds, inFlight),
  missed: (connectionIds) => missedRunners(ctx, connectionIds),
  strayConnections: (connections) => strayConnections(ctx, connections),
  httpRunners: () => listHttpRunners(ctx),
  invokeSecrets: (scope) => readInvokeSecrets(ctx, scope),
});

/** Turns the started run into a pass in the reserved slot. */
const eagerStart = (ctx: EngineContext, slot: EagerPass | undefined): EagerStart | undefined =>
  slot && {
    dispatcherId: slot.dispatcherId,
    begin: (run, startedAt) =>
      void startPass(ctx, run, { dispatcherId: slot.dispatcherId, startedAt }).then((pass) =>
        pass ? slot.begin(pass) : slot.cancel(),
      ),
    cancel: () => slot.cancel(),
  };

/** Turns the woken run into a pass in the reserved slot. */
const eagerWake = (ctx: EngineContext, slot: EagerPass | undefined): EagerWake | undefined =>
  slot && {
    dispatcherId: slot.dispatcherId,
    begin: (run, steps) =>
      void wakePass(ctx, run, { dispatcherId: slot.dispatcherId, steps }).then((pass) =>
        pass ? slot.begin(pass) : slot.cancel(),
      ),
    cancel: () => slot.cancel(),
  };
