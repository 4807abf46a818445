export {
  type ApprovalDecision,
  type ApprovalStatus,
  approvalStatuses,
  type DecidedVia,
  decisionSurfaces,
  decisions,
  isOpen,
  type OnTimeout,
  onTimeouts,
} from './approval.ts';
export { type Decider, type DecisionCall, decideApproval, deciderOf, maxReason } from './decideApproval.ts';
export { expireApprovals } from './expireApprovals.ts';
export type { ApprovalRow } from './reads/approvalRow.ts';
export { countApprovals, type OpenApprovals } from './reads/countApprovals.ts';
export { type ApprovalListQuery, approvalSorts, listApprovals } from './reads/listApprovals.ts';
export { selectApprovalHeads } from './sql/selectApprovalHeads.ts';
export { type ApprovalPayloads, selectApprovalPayloads } from './sql/selectApprovalPayloads.ts';
export { selectApprovalRows } from './sql/selectApprovalRows.ts';
export { selectRunApprovals } from './sql/selectRunApprovals.ts';
export { selectStepApprovals } from './sql/selectStepApprovals.ts';
export { tailApprovals } from './tailApprovals.ts';
