export type { Deed, DeedScene, RequestedApproval, StepDeed } from './deed.ts';
export { isRefused, type Prepared, perform, prepare } from './perform.ts';
export { recordUsage } from './recordUsage.ts';
