import type { ApprovalStatus, ApprovalsQueryVariables } from '../../data/generated/graphql.ts';
import { type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';

const approvalsSearch = object({
  /** `1`: those that wait for a decision; `0`: the others; absent: all. */
  open: oneOf(['1', '0']),
  status: oneOf(['pending', 'escalated', 'approved', 'denied', 'cancelled']),
  risk: text,
  app: text,
  workflow: text,
  run: text,
});

export type ApprovalsSearch = Infer<typeof approvalsSearch>;
export const readApprovalsSearch = readBy(approvalsSearch);

/** The filters that are shown as chips. The tabs show whether approvals are open. */
export const approvalFilters = {
  status: 'status',
  risk: 'risk',
  app: 'app',
  workflow: 'workflow',
  run: 'run',
} as const;

/** The variables of the list: open approvals by their deadline, others newest first. */
export const approvalsVariables = ({
  open,
  status,
  risk,
  app,
  workflow,
  run,
}: ApprovalsSearch): Omit<ApprovalsQueryVariables, 'after'> => ({
  first: 100,
  isOpen: open && open === '1',
  status: status && (status.toUpperCase() as ApprovalStatus),
  risk,
  app,
  workflow,
  runId: run,
  sort: open === '1' ? 'DEADLINE' : 'NEWEST',
});
