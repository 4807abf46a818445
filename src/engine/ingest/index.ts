export { announce, ingest, ingestWithin } from './ingest.ts';
export type { Intake, IntakeOutcome, NewEvent, NewRun } from './newRun.ts';
