import type { ApprovalStatus, DecidedVia, OnTimeout } from '../approval.ts';

/** An approval without its payloads (2.7), with fields of its run. */
export interface ApprovalRow {
  id: string;
  runId: string;
  workflow: string;
  app: string;
  step: string;
  tool: string;
  risk: string;
  policy: string | null;
  summary: string | null;
  context: string | null;
  escalatesTo: string;
  onTimeout: OnTimeout;
  status: ApprovalStatus;
  requestedAt: Date;
  expiresAt: Date | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  decidedVia: DecidedVia | null;
  decisionReason: string | null;
}

/** The columns of an `ApprovalRow`, of approval `a` and its run `r`. */
export const approvalColumns = `a.id, a.run_id, r.workflow, r.app, a.step, a.tool, a.risk, a.policy, a.summary, a.context,
  a.escalates_to, a.on_timeout, a.status, a.requested_at, a.expires_at, a.decided_at, a.decided_by, a.decided_via,
  a.decision_reason`;
