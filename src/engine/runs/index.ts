export { cancelRun } from './cancelRun.ts';
export { lookAfterStranded, type StrandedCounts } from './strandedRuns.ts';
export { type TriggerAnswer, type TriggerInput, triggerWorkflow } from './triggerWorkflow.ts';
