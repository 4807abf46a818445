export { announceRuns } from './announce.ts';
export { buildRuns, type StartOf } from './buildRun.ts';
export { forgetKeys } from './forgetKeys.ts';
export { ingest, ingestWithin } from './ingest.ts';
export type {
  Intake,
  NewEvent,
  NewRun,
  Triggered,
  Withheld,
  WithheldStart,
} from './newRun.ts';
export { keyOfIntake, orHolder } from './sql/ingestIntakes.ts';
export { offerSeats, type Seat } from './startRuns.ts';
