export { checkCron, nextFire } from '../cron/cron.ts';
export { createLanes } from '../lanes/cachedLanes.ts';
export type { CronTrigger, Definition, EventTrigger, ResolvedRetry, Trigger } from '../model/definition.ts';
export type { LaneKey, LaneMaker, Lanes } from '../model/lanes.ts';
export type { GuardEvent, KnownRunner, ProjectSnapshot, Registry } from '../model/registry.ts';
export { capableRunners, databaseNow, isLive, neverRegistered } from '../runners/liveness.ts';
export {
  type ConnectedRunner,
  type ConnectRegistration,
  type HttpRegistration,
  registerRunner,
} from '../runners/registerRunner.ts';
export type { RunnerConnection } from '../runners/registrationBatch.ts';
export { disconnectRunners, listHttpRunners, touchRunners } from '../runners/runnerPresence.ts';
export { createRegistry, type RegistryOptions } from './cachedRegistry.ts';
export { maxInFlightRule, readMaxInFlight } from './maxInFlight.ts';
export { checkProtocolVersion, type ParsedRegistration, parseRegistration } from './parseRegistration.ts';
export { noRetry, retryDelayMs } from './retry.ts';
