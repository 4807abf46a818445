/** 3.2: `pending` and `escalated` are open; the others are final. */
export const approvalStatuses = ['pending', 'escalated', 'approved', 'denied', 'cancelled'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** The decisions that a caller may make. */
export const decisions = ['approved', 'denied'] as const;
export type ApprovalDecision = (typeof decisions)[number];

/** The effect of the deadline on an undecided approval (2.7). */
export const onTimeouts = ['escalate', 'approve', 'reject', 'fail'] as const;
export type OnTimeout = (typeof onTimeouts)[number];

/** How a decision arrived (4.7). */
export const decisionSurfaces = ['console', 'mcp', 'api', 'timeout', 'unrecorded'] as const;
export type DecidedVia = (typeof decisionSurfaces)[number];

/** Whether a decision can still be made. */
export const isOpen = (status: ApprovalStatus): boolean => status === 'pending' || status === 'escalated';
