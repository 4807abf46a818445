export { selectApprovalPayloads } from '../sql/selectApprovalPayloads.ts';
export { selectApprovalRows } from '../sql/selectApprovalRows.ts';
export { selectRunApprovals } from '../sql/selectRunApprovals.ts';
export type { ApprovalRow } from './approvalRow.ts';
export { type ApprovalListQuery, listApprovals } from './listApprovals.ts';
