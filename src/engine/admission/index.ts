export { admit } from './admit.ts';
export { admissionTransaction, admitAsOne, admitTogether } from './admitTogether.ts';
export { type Admission, admitWithin, StaleIntake } from './admitWithin.ts';
export { flushDueBuffers, reanchorBuffers } from './flushBuffers.ts';
export { type TriggerAnswer, type TriggerInput, triggerWorkflow } from './triggerWorkflow.ts';
export { startWaves } from './waves.ts';
