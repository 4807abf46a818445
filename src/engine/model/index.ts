export type { Definition, EventTrigger, ResolvedRetry, Trigger } from './definition.ts';
export type {
  GuardEvent,
  KnownRunner,
  LaneKey,
  LaneMaker,
  Lanes,
  Listener,
  ProjectSnapshot,
  Registry,
  TriggerGuard,
} from './registry.ts';
