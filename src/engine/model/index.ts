export type { Definition, EventTrigger, ResolvedRetry, Trigger } from './definition.ts';
export type { GuardEvent, KnownRunner, LaneKey, LaneMaker, Lanes, ProjectSnapshot, Registry } from './registry.ts';
