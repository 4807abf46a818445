export { type TriggerAnswer, type TriggerInput, triggerWorkflow } from '../admission/triggerWorkflow.ts';
