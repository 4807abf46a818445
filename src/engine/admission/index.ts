export { admit } from './admit.ts';
export { announceAdmitted, sceneOf } from './admitTogether.ts';
export { type Admission, admitWithin, StaleIntake, startWithin } from './admitWithin.ts';
export type { Candidate, Gate, Scene, StartCandidate, StartGate } from './candidate.ts';
export { flushDueBuffers } from './flushBuffers.ts';
export { cancelDisplaced } from './gates/singleton.ts';
export { passStart } from './pipeline.ts';
export { reanchorBuffers } from './reanchorBuffers.ts';
export { startWaves } from './waves.ts';
