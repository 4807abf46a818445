export { createLanes } from './cachedLanes.ts';
export { createRegistry, type RegistryOptions } from './cachedRegistry.ts';
export type { CronTrigger, Definition, EventTrigger, ResolvedRetry, Trigger } from './definition.ts';
export type { LaneKey, Lanes } from './lanes.ts';
export { capableRunners, isLive } from './liveness.ts';
export type { GuardEvent, KnownRunner, ProjectSnapshot, Registry } from './registry.ts';
