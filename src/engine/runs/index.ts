export { type TriggerAnswer, type TriggerInput, triggerWorkflow } from './triggerWorkflow.ts';
