import { type ApprovalRow, listApprovals, tailApprovals } from '../../engine/approvals/index.ts';
import { notFound } from '../../engine/errors.ts';
import { isId } from '../../engine/ids.ts';
import { RawJson } from '../../engine/json/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import type { ApprovalPayload } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { ApprovalOnTimeoutEnum, ApprovalStatusEnum, DecidedViaEnum } from '../machinery/enums.ts';
import { fittingApprovals, toConnection } from '../machinery/fittingPage.ts';
import { payload } from '../machinery/payload.ts';
import { ApprovalType, RunType } from './refs.ts';

const approvalPayload = (
  context: SchemaContext,
  { id }: ApprovalRow,
  column: ApprovalPayload,
): Promise<string | null | undefined> => context.loaders.approvalPayload.load(id, column);

/** 2.7 */
ApprovalType.implement({
  description: 'A run waits for somebody to sign off what it is about to do.',
  fields: (t) => ({
    id: t.exposeID('id'),
    runId: t.exposeID('runId'),
    run: t.field({
      type: RunType,
      resolve: async ({ runId }, _args, context) => {
        const run = await context.loaders.run.load(runId);
        if (!run) throw notFound('run not found');
        return run;
      },
    }),
    workflow: t.exposeString('workflow'),
    app: t.exposeString('app'),
    step: t.exposeString('step', { description: 'The id of the step that waits.' }),
    tool: t.exposeString('tool', { description: 'The action that is proposed.' }),
    args: t.field({
      type: 'JSON',
      description: 'The arguments that are proposed; `null` when the step named none.',
      resolve: async (approval, _args, context) =>
        payload(await approvalPayload(context, approval, 'args')) ?? RawJson.trusted('null'),
    }),
    risk: t.exposeString('risk', { description: 'As the step declares it; `unspecified` when it does not.' }),
    policy: t.exposeString('policy', { nullable: true }),
    summary: t.exposeString('summary', { nullable: true }),
    context: t.exposeString('context', { nullable: true }),
    escalatesTo: t.exposeString('escalatesTo', { description: 'Whom to turn to once it is escalated; may be empty.' }),
    onTimeout: t.expose('onTimeout', { type: ApprovalOnTimeoutEnum }),
    status: t.expose('status', { type: ApprovalStatusEnum }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When `onTimeout` applies.' }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', nullable: true }),
    decidedBy: t.exposeString('decidedBy', { nullable: true }),
    decidedVia: t.expose('decidedVia', { type: DecidedViaEnum, nullable: true }),
    editedArgs: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The arguments that the decider put in place of those proposed.',
      // Only who approves can edit: no other needs a look.
      resolve: async (approval, _args, context) =>
        approval.status === 'approved' ? payload(await approvalPayload(context, approval, 'editedArgs')) : null,
    }),
  }),
});

const ApprovalConnection = builder.connectionObject(
  { type: ApprovalType, name: 'ApprovalConnection' },
  { name: 'ApprovalEdge' },
);

builder.queryFields((t) => ({
  approval: t.field({
    type: ApprovalType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => findApproval(context, id),
  }),
  approvals: t.field({
    type: ApprovalConnection,
    description: 'Newest first, decided ones too: 100 by default, at most 1000.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      status: t.arg({ type: ApprovalStatusEnum }),
      runId: t.arg.id(),
    },
    resolve: async (_root, { first, after, status, runId }, context, info) => {
      const { engine, projectId } = context;
      const cursor = after ?? undefined;
      const limit = pageSize(first, 'first');
      const page = await listApprovals(engine, { projectId, status, runId, after: cursor, limit });
      return toConnection(await fittingApprovals(context, page, info), cursor);
    },
  }),
}));

/** An approval of the caller's project; null when there is none of that id. */
export const findApproval = async (context: SchemaContext, id: string): Promise<ApprovalRow | null> =>
  isId(id) ? ((await context.loaders.approval.load(id)) ?? null) : null;

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
