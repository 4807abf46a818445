export {
  type ApprovalStatus,
  approvalStatuses,
  type DecidedVia,
  type Decision,
  decisionSurfaces,
  decisions,
  type OnTimeout,
  onTimeouts,
} from './approval.ts';
export { type DecisionCall, decideApproval } from './decideApproval.ts';
export { type Decider, deciderOf } from './decider.ts';
export { expireApprovals } from './expireApprovals.ts';
export { tailApprovals } from './tailApprovals.ts';
