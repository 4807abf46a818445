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
export type { ApprovalRow } from './reads/approvalRow.ts';
export { type ApprovalListQuery, listApprovals } from './reads/listApprovals.ts';
export { selectApprovalPayloads } from './sql/selectApprovalPayloads.ts';
export { selectApprovalRows } from './sql/selectApprovalRows.ts';
export { selectRunApprovals } from './sql/selectRunApprovals.ts';
export { tailApprovals } from './tailApprovals.ts';
