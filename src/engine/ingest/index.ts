export { announceRuns } from './announce.ts';
export { buildRuns, type StartOf } from './buildRun.ts';
export { forgetKeys } from './forgetKeys.ts';
export { ingest, ingestWithin } from './ingest.ts';
export type {
  Intake,
  IntakeOutcome,
  NewEvent,
  NewRun,
  Triggered,
  WithheldStart,
} from './newRun.ts';
export { keyOfIntake } from './sql/ingestIntakes.ts';
export { type EagerStart, offerEagerStarts } from './startRuns.ts';
export {
  delayText,
  maxStartMs,
  parseTiming,
  type StartTiming,
  startAtText,
  type TimingInput,
  timesOf,
  ttlText,
} from './startTiming.ts';
