/** A question that a run asked people (2.7). */
export interface Approval {
  readonly id: string;
  readonly runId: string;
  readonly workflow: string;
  readonly app: string;
  readonly step: string;
  readonly tool: string;
  readonly args: unknown;
  readonly risk: string;
  readonly policy?: string;
  readonly summary?: string;
  readonly context?: string;
  readonly escalatesTo: string;
  readonly onTimeout: 'escalate' | 'approve' | 'reject' | 'fail';
  readonly status: 'pending' | 'escalated' | 'approved' | 'denied' | 'cancelled';
  readonly requestedAt: string;
  readonly expiresAt?: string;
  readonly decidedAt?: string;
  readonly decidedBy?: string;
  readonly decidedVia?: 'console' | 'mcp' | 'api' | 'timeout' | 'unrecorded';
  readonly decisionReason?: string;
  readonly editedArgs?: unknown;
}
