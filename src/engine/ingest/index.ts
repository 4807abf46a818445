export { announceRuns } from './announce.ts';
export { buildRuns, type StartOf } from './buildRun.ts';
export { forgetKeys } from './forgetKeys.ts';
export { ingest, ingestWithin } from './ingest.ts';
export type {
  DedupeKey,
  Intake,
  IntakeOutcome,
  NewEvent,
  NewRun,
  Triggered,
  Withheld,
  WithheldStart,
} from './newRun.ts';
export { keyOfIntake, orHolder } from './sql/ingestIntakes.ts';
export { type EagerStart, offerEagerStarts } from './startRuns.ts';
