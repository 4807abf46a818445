import { type ApprovalRow, decideApproval, deciderOf } from '../../engine/approvals/index.ts';
import { notFound } from '../../engine/errors.ts';
import { builder } from '../machinery/builder.ts';
import { ApprovalDecisionEnum } from '../machinery/enums.ts';
import { findApproval } from './approvals.ts';
import { dataOf } from './events.ts';
import { ApprovalType } from './refs.ts';

const DecideApprovalInput = builder.inputType('DecideApprovalInput', {
  fields: (t) => ({
    id: t.id({ required: true }),
    status: t.field({ type: ApprovalDecisionEnum, required: true }),
    args: t.field({
      type: 'JSON',
      description: 'Arguments that replace the proposed ones. A denial ignores them.',
    }),
    reason: t.string({ description: 'Why, for the handler and for later readers: at most 2000 characters.' }),
  }),
});

const DecideApprovalPayload = builder.objectRef<{ approval: ApprovalRow }>('DecideApprovalPayload').implement({
  fields: (t) => ({ approval: t.expose('approval', { type: ApprovalType }) }),
});

builder.mutationField('decideApproval', (t) =>
  t.field({
    type: DecideApprovalPayload,
    description: 'Approves or denies, and wakes the run. The error is `CONFLICT` if the approval is no longer open.',
    args: { input: t.arg({ type: DecideApprovalInput, required: true }) },
    resolve: async (_root, { input: { id, status, args, reason } }, context) => {
      const { engine, projectId, principal, via } = context;
      await decideApproval(engine, {
        projectId,
        approvalId: id,
        status,
        args: dataOf(args),
        reason: reason ?? undefined,
        decider: deciderOf(principal, via),
        actor: principal.keyName,
      });
      context.refresh();
      const approval = await findApproval(context, id);
      if (!approval) throw notFound('approval not found');
      return { approval };
    },
  }),
);
