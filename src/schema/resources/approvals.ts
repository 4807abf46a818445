import type { GraphQLResolveInfo } from 'graphql';
import {
  type ApprovalRow,
  countApprovals,
  listApprovals,
  type OpenApprovals,
  tailApprovals,
} from '../../engine/approvals/index.ts';
import { notFound } from '../../engine/errors.ts';
import { isId } from '../../engine/ids.ts';
import { RawJson } from '../../engine/json/index.ts';
import type { ApprovalPayload } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { ApprovalOnTimeoutEnum, ApprovalSortEnum, ApprovalStatusEnum, DecidedViaEnum } from '../machinery/enums.ts';
import { fittingApprovals, readConnection } from '../machinery/fittingPage.ts';
import { payload } from '../machinery/payload.ts';
import { PayloadType, viewPayload } from './payloads.ts';
import { ApprovalType, NodeInterface, RunType } from './refs.ts';

const approvalPayload = async (
  context: SchemaContext,
  { id }: ApprovalRow,
  column: ApprovalPayload,
): Promise<string | null | undefined> => context.loaders.approvals.approvalPayload.get(id, column);

const argsView = (context: SchemaContext, approval: ApprovalRow, column: ApprovalPayload, info: GraphQLResolveInfo) => {
  const text = () => approvalPayload(context, approval, column);
  return viewPayload({ of: { id: approval.id }, column, heads: context.loaders.approvals.approvalHead, text }, info);
};

/** 2.7 */
ApprovalType.implement({
  description: 'A request of a run that somebody approves or denies an action.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    runId: t.exposeID('runId'),
    run: t.field({
      type: RunType,
      resolve: async ({ runId }, _args, context) => {
        const run = await context.loaders.runs.run.load(runId);
        if (!run) throw notFound('run not found');
        return run;
      },
    }),
    workflow: t.exposeString('workflow'),
    app: t.exposeString('app'),
    step: t.exposeString('step', { description: 'The id of the waiting step.' }),
    tool: t.exposeString('tool', { description: 'The proposed action.' }),
    args: t.field({
      type: 'JSON',
      description: 'The proposed arguments; `null` if the step gave none.',
      resolve: async (approval, _args, context) =>
        payload(await approvalPayload(context, approval, 'args')) ?? RawJson.trusted('null'),
    }),
    argsPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: (approval, _args, context, info) => argsView(context, approval, 'args', info),
    }),
    risk: t.exposeString('risk', { description: 'The risk that the step declares; default `unspecified`.' }),
    policy: t.exposeString('policy', { nullable: true }),
    summary: t.exposeString('summary', { nullable: true }),
    context: t.exposeString('context', { nullable: true }),
    escalatesTo: t.exposeString('escalatesTo', { description: 'The contact for an escalated approval; may be empty.' }),
    onTimeout: t.expose('onTimeout', { type: ApprovalOnTimeoutEnum }),
    status: t.expose('status', { type: ApprovalStatusEnum }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The deadline, at which `onTimeout` applies.',
    }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', nullable: true }),
    decidedBy: t.exposeString('decidedBy', { nullable: true }),
    decidedVia: t.expose('decidedVia', { type: DecidedViaEnum, nullable: true }),
    decisionReason: t.exposeString('decisionReason', {
      nullable: true,
      description: 'Why somebody decided so. Null if they gave no reason, and while it is open.',
    }),
    editedArgs: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The arguments that replaced the proposed ones at the decision.',
      // Only an approval can have edited arguments.
      resolve: async (approval, _args, context) =>
        approval.status === 'approved' ? payload(await approvalPayload(context, approval, 'editedArgs')) : null,
    }),
    editedArgsPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: (approval, _args, context, info) =>
        approval.status === 'approved' ? argsView(context, approval, 'editedArgs', info) : null,
    }),
  }),
});

const ApprovalConnection = builder.connectionObject(
  { type: ApprovalType, name: 'ApprovalConnection' },
  { name: 'ApprovalEdge' },
);

const ApprovalRiskCountType = builder.objectRef<OpenApprovals['byRisk'][number]>('ApprovalRiskCount').implement({
  description: 'Open approvals of one risk.',
  fields: (t) => ({
    risk: t.exposeString('risk', { description: 'The text that their steps declare.' }),
    count: t.exposeInt('count', { description: 'Approvals that wait for a decision.' }),
  }),
});

const ApprovalStatsType = builder.objectRef<OpenApprovals>('ApprovalStats').implement({
  description: 'Numbers of approvals that wait for a decision.',
  fields: (t) => ({
    open: t.exposeInt('open', { description: 'Pending and escalated approvals, at most 10000.' }),
    isCapped: t.exposeBoolean('isCapped', { description: 'Whether more are open than the newest 10000.' }),
    byRisk: t.expose('byRisk', {
      type: [ApprovalRiskCountType],
      description: 'The same by risk, the most frequent first: at most 100 risks.',
    }),
  }),
});

builder.queryFields((t) => ({
  approvalStats: t.field({
    type: ApprovalStatsType,
    description: 'The open approvals, counted.',
    resolve: (_root, _args, { engine, projectId }) => countApprovals(engine, projectId),
  }),
  approval: t.field({
    type: ApprovalType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => findApproval(context, id),
  }),
  approvals: t.field({
    type: ApprovalConnection,
    description: 'Approvals of every status, newest first unless `sort` says otherwise: 100 by default, at most 1000.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      status: t.arg({ type: ApprovalStatusEnum }),
      runId: t.arg.id(),
      isOpen: t.arg.boolean({ description: 'Only approvals that wait for a decision; `false`: only others.' }),
      app: t.arg.string({ description: 'Only approvals of runs of this app.' }),
      workflow: t.arg.string({ description: 'Only approvals of runs of workflows with this name.' }),
      risk: t.arg.string({ description: 'Only approvals of exactly this risk.' }),
      sort: t.arg({
        type: ApprovalSortEnum,
        description: '`NEWEST` unless given. A cursor is valid for its own order only.',
      }),
    },
    resolve: (_root, { first, after, ...filter }, context, info) => {
      const { engine, projectId } = context;
      return readConnection({ first, after }, async (part) =>
        fittingApprovals(context, await listApprovals(engine, { projectId, ...filter, ...part }), info),
      );
    },
  }),
}));

/** An approval of the caller's project; null if there is none with that id. */
export const findApproval = async (context: SchemaContext, id: string): Promise<ApprovalRow | null> =>
  isId(id) ? ((await context.loaders.approvals.approval.load(id)) ?? null) : null;

builder.subscriptionField('approvalChanged', (t) =>
  t.field({
    type: ApprovalType,
    description:
      'Approvals that are requested, decided, escalated or cancelled, in their present state. Changes may be missed: read the list again after a reconnect.',
    subscribe: (_root, _args, { engine, projectId }) => tailApprovals(engine, { projectId }),
    resolve: async ({ approvalId }, _args, context) => {
      const approval = await findApproval(context, approvalId);
      if (!approval) throw notFound('approval not found');
      return approval;
    },
  }),
);
