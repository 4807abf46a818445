export { type ClaimedPass, claimPasses, releasePasses, startPass } from './claimedPass.ts';
export { claimRuns } from './claimRuns.ts';
export { invokeText } from './invokeText.ts';
export type { Pass, Reply } from './pass.ts';
export { type Settlement, settlePass } from './settlePass.ts';
export { startedPass } from './startedPass.ts';
