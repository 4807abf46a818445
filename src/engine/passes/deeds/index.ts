export type { Deed, DeedScene, RequestedApproval, StepDeed } from './deed.ts';
export { perform } from './perform.ts';
export { recordUsage } from './recordUsage.ts';
