import {
  backoffs,
  type FlowControl,
  type StepManifestEntry,
  type WireCancel,
  type WireTrigger,
} from '@holdfast/sdk/protocol';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { type TriggerAnswer, triggerWorkflow } from '../../engine/admission/index.ts';
import { restoreWorkflow, retireWorkflow } from '../../engine/control/index.ts';
import { nextFire } from '../../engine/cron/index.ts';
import { invalid } from '../../engine/errors.ts';
import { delayText, startAtText, ttlText } from '../../engine/ingest/index.ts';
import { hasUnsupportedCharacter } from '../../engine/json/index.ts';
import type { Workflow } from '../../generated/prisma/client.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { BackoffEnum } from '../machinery/enums.ts';
import { type Listing, ofNodes, readListing, readWholeListing } from '../machinery/listing.ts';
import { dataOf } from './events.ts';
import { FlowControlType } from './flowControl.ts';
import { NodeInterface, RunType } from './refs.ts';
import { ofApp } from './registry.ts';
import { findRun } from './runs.ts';

const TriggerType = builder.objectRef<WireTrigger>('Trigger').implement({
  description: 'A trigger of a workflow: an event or a schedule.',
  fields: (t) => ({
    event: t.string({ nullable: true, resolve: (trigger) => ('event' in trigger ? trigger.event : null) }),
    if: t.string({
      nullable: true,
      description: 'A CEL guard on the event.',
      resolve: (trigger) => ('event' in trigger ? trigger.if : null),
    }),
    cron: t.string({ nullable: true, resolve: (trigger) => ('cron' in trigger ? trigger.cron : null) }),
  }),
});

const CancelTriggerType = builder.objectRef<WireCancel>('CancelTrigger').implement({
  description: 'An event that cancels the unfinished runs of a workflow.',
  fields: (t) => ({
    event: t.exposeString('event'),
    if: t.exposeString('if', { nullable: true, description: 'A CEL guard on the event and the run.' }),
  }),
});

const StepManifestType = builder.objectRef<StepManifestEntry>('StepManifestEntry').implement({
  description: 'A declared step, for display only. The steps that run may differ.',
  fields: (t) => ({
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    hidden: t.exposeBoolean('hidden', { nullable: true }),
  }),
});

/** A schedule that is overdue for longer is stale. Firing takes a moment, and clocks differ. */
const staleAfterMs = 3_000;

const ScheduleType = builder.prismaObject('CronSchedule', {
  name: 'Schedule',
  select: { cron: true },
  fields: (t) => ({
    cron: t.exposeString('cron'),
    nextFireAt: t.expose('nextFireAt', { type: 'DateTime' }),
    lastFiredAt: t.expose('lastFiredAt', { type: 'DateTime', nullable: true }),
    upcoming: t.field({
      type: ['DateTime'],
      description: 'The next times at which it fires, from `nextFireAt` on.',
      args: { count: t.arg.int({ description: 'The number of times: 5 by default, at most 20.' }) },
      select: { nextFireAt: true },
      resolve: ({ cron, nextFireAt }, { count }) => firesFrom(cron, nextFireAt, count ?? 5),
    }),
    lastRefusedAt: t.expose('lastRefusedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last time at which it was due while the project was suspended, and started no run.',
    }),
    isStale: t.boolean({
      description: 'Whether it is overdue: no scheduler fires it, or none in time.',
      select: { nextFireAt: true },
      resolve: ({ nextFireAt }, _args, { engine }) =>
        engine.clock.now().getTime() - nextFireAt.getTime() > staleAfterMs,
    }),
  }),
});

const maxUpcoming = 20;

/** Throws `invalid` on a count out of bounds. */
function firesFrom(cron: string, first: Date, count: number): Date[] {
  if (count < 1 || count > maxUpcoming) throw invalid(`count must be an integer from 1 to ${maxUpcoming}`);
  const fires = [first];
  for (let last = first; fires.length < count; fires.push(last)) last = nextFire(cron, last);
  return fires;
}

/** 2.1. Undeclared fields are null. */
export const WorkflowType = builder.prismaObject('Workflow', {
  description: 'A workflow, as its runners last registered it.',
  interfaces: [NodeInterface],
  select: { app: true, name: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'A UUID that stays the same over registrations.' }),
    name: t.exposeString('name'),
    app: t.exposeString('app'),
    version: t.exposeString('version', { description: 'The hash of the definition.' }),
    maxAttempts: t.exposeInt('maxAttempts'),
    backoff: t.field({
      type: BackoffEnum,
      select: { backoff: true },
      resolve: ({ backoff }) => backoffs.find((each) => each === backoff) ?? 'exponential',
    }),
    onFailure: t.exposeBoolean('onFailure'),
    triggers: t.field({
      type: [TriggerType],
      nullable: true,
      select: { triggers: true },
      resolve: ({ triggers }) => stored<WireTrigger[]>(triggers),
    }),
    scheduled: t.boolean({
      // The same query as for `schedules`, so that one statement serves both.
      select: { schedules: { select: { id: true }, orderBy: { cron: 'asc' } } },
      resolve: ({ schedules }) => schedules.length > 0,
    }),
    schedules: t.field({
      type: [ScheduleType],
      nullable: true,
      select: (_args, _context, nested) => ({ schedules: nested({ orderBy: { cron: 'asc' } }) }),
      resolve: ({ schedules }) => (schedules.length === 0 ? null : schedules),
    }),
    flowControl: t.field({
      type: FlowControlType,
      nullable: true,
      select: { flowControl: true },
      resolve: ({ flowControl }) => stored<FlowControl>(flowControl),
    }),
    steps: t.field({
      type: [StepManifestType],
      nullable: true,
      select: { steps: true },
      resolve: ({ steps }) => stored<StepManifestEntry[]>(steps),
    }),
    maxDuration: t.float({
      nullable: true,
      description: 'How many milliseconds a run may take, waits and pauses included.',
      select: { maxDurationMs: true },
      resolve: ({ maxDurationMs }) => (maxDurationMs === null ? null : Number(maxDurationMs)),
    }),
    cancelOn: t.field({
      type: [CancelTriggerType],
      nullable: true,
      description: 'The events that cancel unfinished runs.',
      select: { cancelOn: true },
      resolve: ({ cancelOn }) => stored<WireCancel[]>(cancelOn),
    }),
    registeredAt: t.expose('registeredAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    retiredAt: t.expose('retiredAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when it is retired: its events and schedules start no run. Null if it is awake. Runs, replays, triggers by ' +
        'name and calls by other runs are not affected.',
    }),
    retiredBy: t.exposeString('retiredBy', {
      nullable: true,
      description: 'The name of the key that retired it by hand. Null if the service retired it.',
    }),
  }),
});

/** A part of a definition. Registration has checked its shape. */
const stored = <Part>(value: unknown): Part | null => (value === null || value === undefined ? null : (value as Part));

const WorkflowConnection = builder.connectionObject(
  { type: WorkflowType, name: 'WorkflowConnection' },
  { name: 'WorkflowEdge' },
);

/** `query` has the columns that the document asks for. */
const workflowListing = (
  { engine, projectId }: SchemaContext,
  app: string | null | undefined,
  query: object,
): Listing<Workflow> => ({
  name: 'workflows',
  key: ['app', 'name'],
  read: ({ after, ...rest }) =>
    engine.db.reading(() =>
      engine.db.prisma.workflow.findMany({ ...query, ...rest, where: { projectId, ...ofApp(app), AND: after } }),
    ),
});

builder.queryFields((t) => ({
  workflow: t.prismaField({
    type: WorkflowType,
    nullable: true,
    description: 'One registered definition. Null if there is none.',
    args: {
      app: t.arg.string({ required: true, description: 'The app that registered it.' }),
      name: t.arg.string({ required: true, description: 'Its name, unique within the app.' }),
    },
    resolve: (query, _root, { app, name }, { engine, projectId }) =>
      hasUnsupportedCharacter(app + name)
        ? null
        : engine.db.reading(() =>
            engine.db.prisma.workflow.findUnique({ ...query, where: { projectId_app_name: { projectId, app, name } } }),
          ),
  }),
  workflows: t.prismaField({
    type: [WorkflowType],
    description: 'All registered definitions, by app and name.',
    args: { app: t.arg.string() },
    resolve: (query, _root, { app }, context) => readWholeListing(context, workflowListing(context, app, query)),
  }),
  workflowPage: t.field({
    type: WorkflowConnection,
    description: 'Registered definitions by app and name: 100 by default and at most.',
    args: { app: t.arg.string(), first: t.arg.int(), after: t.arg.string() },
    resolve: (_root, { app, ...page }, context, info) =>
      readListing(context, workflowListing(context, app, ofNodes(context, info)), page),
  }),
}));

builder.objectField(RunType, 'definition', (t) =>
  t.field({
    type: WorkflowType,
    nullable: true,
    description:
      'The workflow as its runners last registered it. The run began with another definition if `version` differs. Null ' +
      'if it is not registered.',
    resolve: async ({ app, workflow: name }, _args, context, info) =>
      (await context.loaders.workflows.workflow.load({ app, name, query: queryFromInfo({ context, info }) })) ?? null,
  }),
);

const TriggerWorkflowInput = builder.inputType('TriggerWorkflowInput', {
  fields: (t) => ({
    app: t.string({ required: true }),
    name: t.string({ required: true }),
    input: t.field({ type: 'JSON', description: 'The data of the event; `{}` unless given.' }),
    eventName: t.string({ description: 'The name of the event; the name of the workflow unless given.' }),
    dedupeId: t.string({ description: 'A repeat within the dedupe window starts no run.' }),
    runner: t.string({ description: 'Pins the run to this runner.' }),
    tags: t.field({ type: 'Tags' }),
    startAt: t.field({ type: 'DateTime', description: startAtText }),
    delayMs: t.float({ description: delayText }),
    ttlMs: t.float({ description: ttlText }),
  }),
});

const isWithheld = ({ withheld }: TriggerAnswer, reason: TriggerAnswer['withheld']): true | null =>
  withheld === reason ? true : null;

const TriggerWorkflowPayload = builder.objectRef<TriggerAnswer>('TriggerWorkflowPayload').implement({
  fields: (t) => ({
    workflow: t.exposeString('workflow'),
    app: t.exposeString('app'),
    eventName: t.exposeString('eventName'),
    runId: t.exposeID('runId', { nullable: true, description: 'Null if flow control delays or drops the start.' }),
    existingRunId: t.exposeID('existingRunId', {
      nullable: true,
      description: 'The run that caused the skip or the dedupe.',
    }),
    run: t.field({
      type: RunType,
      nullable: true,
      resolve: ({ runId }, _args, context) => (runId === undefined ? null : findRun(context, runId)),
    }),
    skipped: t.boolean({ nullable: true, resolve: (answer) => isWithheld(answer, 'skipped') }),
    dropped: t.boolean({ nullable: true, resolve: (answer) => isWithheld(answer, 'dropped') }),
    debounced: t.boolean({ nullable: true, resolve: (answer) => isWithheld(answer, 'debounced') }),
    batched: t.boolean({ nullable: true, resolve: (answer) => isWithheld(answer, 'batched') }),
    deduped: t.boolean({ nullable: true, resolve: (answer) => isWithheld(answer, 'deduped') }),
  }),
});

builder.mutationField('triggerWorkflow', (t) =>
  t.field({
    type: TriggerWorkflowPayload,
    description: 'Starts one run of a workflow, regardless of its triggers.',
    args: { input: t.arg({ type: TriggerWorkflowInput, required: true }) },
    resolve: async (_root, { input: { app, name, ...input } }, context) => {
      const { engine, projectId } = context;
      const trigger = { ...input, input: dataOf(input.input) };
      const answer = await triggerWorkflow(engine, { projectId, app, name, input: trigger });
      context.refresh();
      return answer;
    },
  }),
);

interface WorkflowRef {
  app: string;
  name: string;
}

const refInputOf = (name: string) =>
  builder.inputType(name, {
    fields: (t) => ({ app: t.string({ required: true }), name: t.string({ required: true }) }),
  });

const workflowPayloadOf = (name: string) =>
  builder.objectRef<WorkflowRef>(name).implement({
    fields: (t) => ({
      workflow: t.prismaField({
        type: WorkflowType,
        resolve: (query, { app, name }, _args, { engine, projectId }) =>
          engine.db.prisma.workflow.findUniqueOrThrow({
            ...query,
            where: { projectId_app_name: { projectId, app, name } },
          }),
      }),
    }),
  });

type Change = typeof retireWorkflow;

async function changeWorkflow(context: SchemaContext, { app, name }: WorkflowRef, act: Change): Promise<WorkflowRef> {
  const { engine, projectId, principal } = context;
  await act(engine, { projectId, app, name, actor: principal.keyName });
  context.refresh();
  return { app, name };
}

const RetireWorkflowInput = refInputOf('RetireWorkflowInput');
const RetireWorkflowPayload = workflowPayloadOf('RetireWorkflowPayload');

builder.mutationField('retireWorkflow', (t) =>
  t.field({
    type: RetireWorkflowPayload,
    description:
      'Retires a workflow: its events and schedules start no run. If a live runner serves it, it sleeps until ' +
      '`restoreWorkflow`; otherwise a runner that serves it again wakes it, too. A retired workflow stays unchanged.',
    args: { input: t.arg({ type: RetireWorkflowInput, required: true }) },
    resolve: (_root, { input }, context) => changeWorkflow(context, input, retireWorkflow),
  }),
);

const RestoreWorkflowInput = refInputOf('RestoreWorkflowInput');
const RestoreWorkflowPayload = workflowPayloadOf('RestoreWorkflowPayload');

builder.mutationField('restoreWorkflow', (t) =>
  t.field({
    type: RestoreWorkflowPayload,
    description:
      'Restores a retired workflow. If no live runner serves it, it stays awake until a runner has served it. A workflow ' +
      'that is awake stays unchanged.',
    args: { input: t.arg({ type: RestoreWorkflowInput, required: true }) },
    resolve: (_root, { input }, context) => changeWorkflow(context, input, restoreWorkflow),
  }),
);
