import type { ApprovalRow } from '../../engine/approvals/index.ts';
import type { RunRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';

/** Named apart from its fields, so that what links to runs need not import them. */
export const RunType = builder.objectRef<RunRow>('Run');

/** Named apart from its fields, so that what links to approvals need not import them. */
export const ApprovalType = builder.objectRef<ApprovalRow>('Approval');
