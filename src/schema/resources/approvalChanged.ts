import { tailApprovals } from '../../engine/approvals/index.ts';
import { notFound } from '../../engine/errors.ts';
import { builder } from '../machinery/builder.ts';
import { ApprovalType } from './approvalRef.ts';
import { findApproval } from './approvals.ts';

builder.subscriptionField('approvalChanged', (t) =>
  t.field({
    type: ApprovalType,
    description:
      'Approvals as they are requested, decided, escalated or cancelled, each as it is by then. Best effort: a missed one is a reason to read again.',
    subscribe: (_root, _args, { engine, projectId }) => tailApprovals(engine, { projectId }),
    resolve: async (id, _args, context) => {
      const approval = await findApproval(context, id);
      if (!approval) throw notFound('approval not found');
      return approval;
    },
  }),
);
