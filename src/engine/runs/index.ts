export { cancelRun } from './cancelRun.ts';
export { failOverdueRuns, lookAfterStranded, type StrandedCounts } from './strandedRuns.ts';
export { type TriggerAnswer, type TriggerInput, triggerWorkflow } from './triggerWorkflow.ts';
