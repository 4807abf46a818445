export { claimRuns } from './claimRuns.ts';
export type { Deed, DeedScene, RequestedApproval, StepDeed } from './deeds/deed.ts';
export { isRefused, type Prepared, perform, prepare } from './deeds/perform.ts';
export { recordUsage } from './deeds/recordUsage.ts';
export { invokeText } from './invokeText.ts';
export type { Pass, Reply } from './pass.ts';
export { refuseOversized, type Settlement, settlePass } from './settlePass.ts';
export { startedPass } from './startedPass.ts';
