export { claimRuns } from './claimRuns.ts';
export { invokeText } from './invokeText.ts';
export type { Pass, Reply } from './pass.ts';
export { refuseOversized, type Settlement, settlePass } from './settlePass.ts';
export { startedPass } from './startedPass.ts';
