import type DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { invalid } from '../../engine/errors.ts';
import { isId } from '../../engine/ids.ts';
import { pageSize, pageSizes } from '../../engine/paging/index.ts';
import { durationMs, listRuns, type RunRow, type RunStatus, type WaitingFor } from '../../engine/runs/index.ts';
import { untilEnded } from '../../engine/timeline/index.ts';
import type { Loaders, RelatedKey, RunPayload } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import {
  LogLevelEnum,
  PauseReasonEnum,
  RunSortEnum,
  RunStatusEnum,
  SortDirectionEnum,
  TriggerKindEnum,
  WaitKindEnum,
} from '../machinery/enums.ts';
import { fittingRuns, mayHaveError, readConnection } from '../machinery/fittingPage.ts';
import { whenThere } from '../machinery/metered.ts';
import { ErrorDetailType, errorDetail, loadedPayload, toErrorDetail } from '../machinery/payload.ts';
import { selectedFields } from '../machinery/selection.ts';
import { EventType } from './events.ts';
import { InferenceLaneType } from './inferenceLanes.ts';
import { PayloadType, viewPayload } from './payloads.ts';
import { ApprovalType, NodeInterface, RunType, WebhookDeliveryType } from './refs.ts';
import { RunFilterInput, toRunFilter } from './runFilter.ts';
import { LogLineType, LogPageType, readLogPage } from './runLogs.ts';
import { StepConnection, StepType } from './runSteps.ts';
import { ScoreType } from './scores.ts';
import { readStepPage } from './stepPage.ts';

export interface PausedBy {
  reason: 'manual' | 'budget';
  actor: string | null;
}

export const PausedByType = builder.objectRef<PausedBy>('PausedBy').implement({
  fields: (t) => ({
    reason: t.expose('reason', { type: PauseReasonEnum }),
    actor: t.exposeString('actor', { nullable: true }),
  }),
});

/** A wait, with its run where that is known. */
type ShownWait = WaitingFor & { runId?: string };

export const WaitingForType = builder.objectRef<ShownWait>('WaitingFor').implement({
  description:
    'Why an unfinished run does not execute. If several branches are open, it tells the one that needs help, else the first to go on.',
  fields: (t) => ({
    kind: t.expose('kind', { type: WaitKindEnum }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the wait ends by itself. A wait for a runner ends with the failure of the run.',
      resolve: ({ until }) => until ?? null,
    }),
    step: t.string({ nullable: true, description: 'The step that waits.', resolve: ({ step }) => step ?? null }),
    error: t.field({
      type: ErrorDetailType,
      nullable: true,
      description: 'The failure after which the pass or the step is tried again, without a stack.',
      resolve: ({ error }) => toErrorDetail(error),
    }),
    inference: t.field({
      type: InferenceLaneType,
      nullable: true,
      description: 'The calls beside which the call of the run waits. Null for other kinds, and in frames.',
      resolve: async ({ kind, runId }, _args, { loaders }) =>
        kind === 'inference' && runId !== undefined ? ((await loaders.runs.inferenceLane.load(runId)) ?? null) : null,
    }),
  }),
});

/** The statuses of runs that may wait. */
const waiting: ReadonlySet<RunStatus> = new Set<RunStatus>(['queued', 'waiting', 'needs_attention']);

const runPayload = (context: SchemaContext, { id }: RunRow, column: RunPayload) =>
  context.loaders.runs.runPayload.get(id, column);

const runPayloadView = (context: SchemaContext, run: RunRow, column: 'input' | 'result', info: GraphQLResolveInfo) =>
  viewPayload(
    {
      of: { id: run.id },
      column,
      heads: context.loaders.runs.runHead,
      text: async () => runPayload(context, run, column),
    },
    info,
  );

/** Rows that belong to a run, at most `limit` of them. */
const related =
  <Row>(loaderOf: (loaders: Loaders) => DataLoader<RelatedKey, Row[] | undefined, string>) =>
  async ({ id }: RunRow, { limit }: { limit?: number | null | undefined }, { loaders }: SchemaContext) =>
    (await loaderOf(loaders).load({ runId: id, limit: pageSize(limit, 'limit') })) ?? [];

/** 2.4 */
RunType.implement({
  description: 'One execution of a workflow. Fields that do not apply are null.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    version: t.exposeString('version', { description: 'The hash of the definition with which the run started.' }),
    status: t.expose('status', { type: RunStatusEnum }),
    triggerKind: t.expose('triggerKind', { type: TriggerKindEnum }),
    eventName: t.exposeString('eventName', { nullable: true }),
    eventId: t.exposeID('eventId', { nullable: true }),
    session: t.exposeString('session', { nullable: true }),
    runner: t.string({
      nullable: true,
      description: 'The runner to which the run is pinned.',
      resolve: ({ runner }, _args, context) => runner && context.shownUrl(runner),
    }),
    replayOf: t.exposeID('replayOf', { nullable: true }),
    onFailureOf: t.exposeID('onFailureOf', { nullable: true, description: 'The failed run that this run handles.' }),
    parentRunId: t.exposeID('parentRunId', { nullable: true }),
    parentStep: t.exposeString('parentStep', { nullable: true }),
    parentAttempt: t.exposeInt('parentAttempt', { nullable: true }),
    depth: t.int({
      nullable: true,
      description: 'The depth in the chain of causes; null at the top.',
      resolve: (run) => run.depth || null,
    }),
    tags: t.expose('tags', { type: 'Tags', nullable: true }),
    attempt: t.exposeInt('attempt'),
    pausedBy: t.field({
      type: PausedByType,
      nullable: true,
      resolve: (run) => run.pausedReason && { reason: run.pausedReason, actor: run.pausedActor },
    }),
    waitingFor: t.field({
      type: WaitingForType,
      nullable: true,
      description: 'Why the run does not execute; null if it does, is paused or has ended.',
      // Other runs need no statement, and no promise.
      resolve: ({ id, status }, _args, { loaders }) =>
        waiting.has(status)
          ? loaders.runs.waitingFor.load(id).then((wait) => (wait ? { ...wait, runId: id } : null))
          : null,
    }),
    error: t.field({
      type: ErrorDetailType,
      nullable: true,
      // Other runs need no statement, and no promise. A cancelled run may have a reason.
      resolve: (run, _args, context) =>
        mayHaveError(run.status) ? whenThere(runPayload(context, run, 'error'), errorDetail) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startAt: t.expose('startAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ expiresAt, startedAt, endedAt }) => (startedAt || endedAt ? null : expiresAt),
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    durationMs: t.float({ nullable: true, resolve: durationMs }),
    input: t.field({
      type: 'JSON',
      nullable: true,
      resolve: (run, _args, context) => loadedPayload(runPayload(context, run, 'input')),
    }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      resolve: (run, _args, context) =>
        run.status === 'succeeded' ? loadedPayload(runPayload(context, run, 'result')) : null,
    }),
    inputPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: (run, _args, context, info) => runPayloadView(context, run, 'input', info),
    }),
    resultPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: (run, _args, context, info) =>
        run.status === 'succeeded' ? runPayloadView(context, run, 'result', info) : null,
    }),
    seq: t.int({
      description:
        'The number of the last frame of its journal. Asked for by `run(id)`, it is read first: `runFrames` from there on ' +
        'misses no later change.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.runs.runSeq.load(id)) ?? 0,
    }),
    stepCount: t.int({
      resolve: async ({ id }, _args, context) => (await context.loaders.steps.stepCount.load(id)) ?? 0,
    }),
    steps: t.field({
      type: [StepType],
      description: 'Every attempt of every step, in the order of `index` and `attempt`.',
      resolve: async ({ id }, _args, context) => (await context.loaders.steps.steps.load(id)) ?? [],
    }),
    stepPage: t.field({
      type: StepConnection,
      description: 'The steps in pages: 100 by default, at most 1000.',
      args: {
        first: t.arg.int(),
        after: t.arg.string(),
        name: t.arg.string({ description: 'Only steps of this name.' }),
        index: t.arg.int({ description: 'Only the step at this index.' }),
      },
      resolve: ({ id }, args, context, info) => readStepPage(context, id, args, info),
    }),
    logs: t.field({
      type: [LogLineType],
      description: 'Log lines whose `seq` is greater than `from`, oldest first: 100 by default, at most 1000.',
      args: { from: t.arg.int(), limit: t.arg.int() },
      resolve: async ({ id }, args, context) => (await readLogPage(context, id, args)).nodes,
    }),
    logPage: t.field({
      type: LogPageType,
      description:
        'The log lines, from the first on, or the last ones. A page with a filter looks through at most 20000 lines, ' +
        'and may then be short or empty before the next.',
      args: {
        from: t.arg.int(),
        before: t.arg.int({ description: 'Only lines with a smaller `seq`. Without `limit`, the page ends there.' }),
        limit: t.arg.int(),
        last: t.arg.int({
          description: 'Size of a page that ends with the last line: at most 1000. Use it instead of `limit`.',
        }),
        levels: t.arg({
          type: [LogLevelEnum],
          description: 'Only lines of one of these levels. Absent or empty: all.',
        }),
        scope: t.arg.string({ description: 'Only lines of this step; `@root`: only those of the handler itself.' }),
        q: t.arg.string({
          description:
            'Only lines with this text in their message or fields. Case does not count. At most 256 characters.',
        }),
      },
      resolve: ({ id }, args, context) => readLogPage(context, id, args),
    }),
    parent: t.field({
      type: RunType,
      nullable: true,
      resolve: ({ parentRunId }, _args, context) =>
        parentRunId === null ? null : context.loaders.runs.run.load(parentRunId),
    }),
    event: t.field({
      type: EventType,
      nullable: true,
      resolve: ({ eventId }, _args, context) => (eventId === null ? null : context.loaders.events.event.load(eventId)),
    }),
    children: t.field({
      type: [RunType],
      description:
        'Direct children, oldest first: 100 by default, at most 1000. Use `runs` with `parentRunId` to read all.',
      args: { limit: t.arg.int() },
      resolve: related(({ runs }) => runs.children),
    }),
    approvals: t.field({
      type: [ApprovalType],
      description: 'Approvals that the run requested, newest first: 100 by default, at most 1000.',
      args: { limit: t.arg.int() },
      resolve: related(({ approvals }) => approvals.runApprovals),
    }),
    deliveries: t.field({
      type: [WebhookDeliveryType],
      description: 'Webhook deliveries that the run caused, newest first: 100 by default, at most 1000.',
      args: { limit: t.arg.int() },
      resolve: related(({ deliveries }) => deliveries.runDeliveries),
    }),
    scores: t.field({
      type: [ScoreType],
      description: 'Scores in the order of their steps: 100 by default, at most 1000.',
      args: { limit: t.arg.int() },
      resolve: related(({ scores }) => scores.runScores),
    }),
    replays: t.field({
      type: [RunType],
      description: 'Replays and retries of this run, oldest first: 100 by default, at most 1000.',
      args: { limit: t.arg.int() },
      resolve: related(({ runs }) => runs.replays),
    }),
  }),
});

const RunConnection = builder.connectionObject({ type: RunType, name: 'RunConnection' }, { name: 'RunEdge' });

builder.queryFields((t) => ({
  run: t.field({
    type: RunType,
    nullable: true,
    args: {
      id: t.arg.id({ required: true }),
      waitMs: t.arg.int({
        description: 'Wait until the run has ended, for at most this many ms: from 0 to 30000.',
      }),
    },
    resolve: async (_root, { id, waitMs }, context, info) => {
      if (waitMs && waitMs < 0) throw invalid('waitMs must be an integer from 0');
      if (waitMs && isId(id)) {
        const { projectId, principal } = context;
        const whenGone = context.whenReleased.bind(context);
        const waited = { projectId, runId: id, principal, waitMs, whenGone };
        await context.whileIdle(() => untilEnded(context.engine, waited));
        loadAhead(context, id, info);
      }
      // Its seq is read before all else. So frames after it miss no change of what is answered.
      if (isId(id) && selectedFields(info).has('seq')) await context.loaders.runs.runSeq.load(id);
      return findRun(context, id);
    },
  }),
  runs: t.field({
    type: RunConnection,
    description: 'Newest first unless `sort` or `dir` is given: 30 by default, at most 200.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      filter: t.arg({ type: RunFilterInput }),
      sort: t.arg({ type: RunSortEnum }),
      dir: t.arg({ type: SortDirectionEnum }),
    },
    resolve: (_root, { filter, sort, dir, ...args }, context, info) => {
      const { engine, projectId } = context;
      const order = { sort: sort ?? 'started', dir: dir ?? 'desc' } as const;
      const found = toRunFilter(projectId, filter);
      return readConnection(
        args,
        async (part) =>
          fittingRuns(context, await listRuns(engine, { projectId, filter: found, order, ...part }), info),
        pageSizes.runs,
      );
    },
  }),
}));

/**
 * Loads the fields of a run together with the run, so that a caller who has waited for its end need
 * not wait for several statements. An error shows at its field. A run of another project has none.
 */
function loadAhead({ loaders }: SchemaContext, id: string, info: GraphQLResolveInfo): void {
  const asked = selectedFields(info);
  const loads: Promise<unknown>[] = (['input', 'result'] as const)
    .filter((column) => asked.has(column))
    .map((column) => loaders.runs.runPayload.load(id, column));
  if (asked.has('stepCount')) loads.push(loaders.steps.stepCount.load(id));
  for (const load of loads) load.catch(() => undefined);
}

/** A run of the caller's project; null if there is none with that id. */
export const findRun = async (context: SchemaContext, id: string): Promise<RunRow | null> =>
  isId(id) ? ((await context.loaders.runs.run.load(id)) ?? null) : null;
