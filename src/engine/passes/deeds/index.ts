export { type Deed, type DeedScene, type RequestedApproval, StaleSnapshot, type StepDeed } from './deed.ts';
export { perform } from './perform.ts';
export { recordUsage } from './recordUsage.ts';
