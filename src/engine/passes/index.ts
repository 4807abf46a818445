export { startedPass } from './buildPass.ts';
export { type ClaimedPass, claimPasses, releasePasses, startPass, wakePass } from './claimedPass.ts';
export { type Claimed, claimRuns } from './claimRuns.ts';
export { continueText } from './continueText.ts';
export { invokeText } from './invokeText.ts';
export type { Pass, Reply } from './pass.ts';
export { isSameFailure, readStepError } from './readAnswer.ts';
export { type Settlement, settlePass } from './settlePass.ts';
export { maxUnanswered } from './transport.ts';
