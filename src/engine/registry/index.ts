export { createLanes } from './cachedLanes.ts';
export { createRegistry, type RegistryOptions } from './cachedRegistry.ts';
export { checkCron, nextFire } from './cron.ts';
export type { CronTrigger, Definition, EventTrigger, ResolvedRetry, Trigger } from './definition.ts';
export type { LaneKey, LaneMaker, Lanes } from './lanes.ts';
export { capableRunners, databaseNow, isLive, neverRegistered } from './liveness.ts';
export { maxInFlightRule, readMaxInFlight } from './maxInFlight.ts';
export { checkProtocolVersion, type ParsedRegistration, parseRegistration } from './parseRegistration.ts';
export {
  type ConnectedRunner,
  type ConnectRegistration,
  type HttpRegistration,
  registerRunner,
} from './registerRunner.ts';
export type { RunnerConnection } from './registrationBatch.ts';
export type { GuardEvent, KnownRunner, ProjectSnapshot, Registry } from './registry.ts';
export { noRetry, retryDelayMs } from './retry.ts';
export { disconnectRunners, listHttpRunners, touchRunners } from './runnerPresence.ts';
