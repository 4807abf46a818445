export { admit, announceAdmitted, sceneOf } from './admit.ts';
export { type Admission, admitWithin, StaleIntake, startWithin } from './admitWithin.ts';
export type { Candidate, Gate, Scene, StartCandidate, StartGate } from './candidate.ts';
export { flushDueBuffers } from './flushBuffers.ts';
export { passStart } from './pipeline.ts';
export { startWaves } from './waves.ts';
