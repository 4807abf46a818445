export type { CronTrigger, Definition, EventTrigger, ResolvedRetry, Trigger } from './definition.ts';
export { type Frame, type FrameKind, frameKinds } from './frame.ts';
export type { LaneKey, LaneMaker, Lanes } from './lanes.ts';
export type { GuardEvent, KnownRunner, ProjectSnapshot, Registry } from './registry.ts';
