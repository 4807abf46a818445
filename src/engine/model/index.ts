export type { Definition, EventTrigger, ResolvedRetry, Trigger } from './definition.ts';
export { type Envelope, envelopeText, readEnvelope } from './envelope.ts';
export type {
  CancelRule,
  GuardEvent,
  GuardRun,
  KnownRunner,
  LaneKey,
  LaneMaker,
  Lanes,
  Listener,
  ProjectSnapshot,
  Registry,
  TriggerGuard,
} from './registry.ts';
