import { tailEvents } from '../../engine/event-tail/index.ts';
import {
  type EventAnswer,
  type EventRow,
  listEvents,
  sendEvent,
  type TriggerRecord,
} from '../../engine/events/index.ts';
import { isId } from '../../engine/ids.ts';
import type { Withheld } from '../../engine/ingest/index.ts';
import { RawJson } from '../../engine/json/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import { loadTailedEvent } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { EventSourceEnum } from '../machinery/enums.ts';
import { fittingEvents, toConnection } from '../machinery/fittingPage.ts';
import { payload } from '../machinery/payload.ts';

/** Booleans that name why no run started are null unless true (4.2, 4.3). */
const TriggerOutcomeType = builder.objectRef<TriggerRecord>('TriggerOutcome').implement({
  description:
    'What an event did to one workflow that it matched. What was debounced or batched has its run once that has started.',
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    runId: t.exposeID('runId', { nullable: true }),
    existingRunId: t.exposeID('existingRunId', {
      nullable: true,
      description: 'The run because of which it was skipped or deduped.',
    }),
    skipped: t.exposeBoolean('skipped', { nullable: true }),
    dropped: t.exposeBoolean('dropped', { nullable: true }),
    debounced: t.exposeBoolean('debounced', { nullable: true }),
    batched: t.exposeBoolean('batched', { nullable: true }),
    deduped: t.exposeBoolean('deduped', { nullable: true }),
  }),
});

export const EventType = builder.objectRef<EventRow>('Event').implement({
  description: 'An event as the log keeps it, with what it started and woke.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    app: t.exposeString('app', { description: 'Who published it.' }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      resolve: async ({ id }, _args, context) => payload(await context.loaders.eventData.load(id, 'data')),
    }),
    tags: t.expose('tags', { type: 'Tags', nullable: true }),
    session: t.exposeString('session', { nullable: true }),
    dedupeId: t.exposeString('dedupeId', { nullable: true }),
    targetApp: t.exposeString('targetApp', { nullable: true }),
    runner: t.exposeString('runner', { nullable: true }),
    source: t.expose('source', { type: EventSourceEnum }),
    sourceRunId: t.exposeID('sourceRunId', { nullable: true, description: 'The run that emitted it.' }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime' }),
    triggered: t.field({ type: [TriggerOutcomeType], resolve: (event) => event.triggered }),
    woke: t.exposeInt('woke', { description: 'Runs that were waiting for it, and go on.' }),
    wokeRuns: t.field({ type: ['ID'], resolve: (event) => event.wokeRuns }),
    suspended: t.boolean({ nullable: true, resolve: (event) => event.suspended || null }),
  }),
});

const EventConnection = builder.connectionObject({ type: EventType, name: 'EventConnection' }, { name: 'EventEdge' });

builder.queryFields((t) => ({
  event: t.field({
    type: EventType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => findEvent(context, id),
  }),
  events: t.field({
    type: EventConnection,
    description: 'The event log, newest first: 100 by default, at most 1000.',
    args: { first: t.arg.int(), after: t.arg.string(), app: t.arg.string(), name: t.arg.string() },
    resolve: async (_root, { first, after, app, name }, context, info) => {
      const { engine, projectId } = context;
      const cursor = after ?? undefined;
      const limit = pageSize(first, 'first');
      const page = await listEvents(engine, { projectId, app, name, after: cursor, limit });
      return toConnection(await fittingEvents(context, page, info), cursor);
    },
  }),
}));

/** An event of the caller's project; null when there is none of that id. */
export const findEvent = async (context: SchemaContext, id: string): Promise<EventRow | null> =>
  isId(id) ? ((await context.loaders.event.load(id)) ?? null) : null;

const SendEventInput = builder.inputType('SendEventInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    app: t.string({ description: 'Who publishes it; `default` unless given. It does not narrow the fan-out.' }),
    runner: t.string({ description: 'Pins the runs to this runner; only workflows that it registered are started.' }),
    targetApp: t.string({ description: "Narrows the fan-out to one app's triggers." }),
    dedupeId: t.string({ description: 'A repeat within the dedupe window is dropped entirely.' }),
    data: t.field({ type: 'JSON' }),
    tags: t.field({ type: 'Tags', description: 'Attached to every run that it starts.' }),
    session: t.string(),
  }),
});

const SendEventPayload = builder.objectRef<EventAnswer>('SendEventPayload').implement({
  fields: (t) => ({
    event: t.field({
      type: EventType,
      nullable: true,
      description: 'The record; of a repeat, that of the first event.',
      resolve: ({ eventId }, _args, context) => findEvent(context, eventId),
    }),
    eventId: t.exposeID('eventId', { description: 'Of a repeat, that of the first event.' }),
    runId: t.exposeID('runId', {
      nullable: true,
      description: 'As the first entry of `triggered` says; null where that has none.',
    }),
    existingRunId: t.exposeID('existingRunId', {
      nullable: true,
      description: 'The first `existingRunId` of `triggered`; of a repeat, the run of the first event.',
    }),
    woke: t.exposeInt('woke'),
    skipped: t.boolean({ nullable: true, resolve: ({ triggered }) => some(triggered, 'skipped') }),
    dropped: t.boolean({ nullable: true, resolve: ({ triggered }) => some(triggered, 'dropped') }),
    debounced: t.boolean({ nullable: true, resolve: ({ triggered }) => some(triggered, 'debounced') }),
    batched: t.boolean({ nullable: true, resolve: ({ triggered }) => some(triggered, 'batched') }),
    deduped: t.boolean({
      nullable: true,
      resolve: ({ deduped, triggered }) => deduped || some(triggered, 'deduped'),
    }),
    suspended: t.boolean({ nullable: true, resolve: ({ suspended }) => suspended || null }),
    triggered: t.field({ type: [TriggerOutcomeType], resolve: ({ triggered }) => triggered }),
  }),
});

/** Whether a gate held back some workflow; null when none did. */
const some = (triggered: readonly TriggerRecord[], gate: Withheld) => triggered.some((each) => each[gate]) || null;

builder.mutationField('sendEvent', (t) =>
  t.field({
    type: SendEventPayload,
    description: 'Records an event, starts what it triggers and wakes what waits for it.',
    args: { input: t.arg({ type: SendEventInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const { engine, projectId } = context;
      const answer = await sendEvent(engine, { projectId, input: { ...input, data: dataOf(input.data) } });
      context.refresh();
      return answer;
    },
  }),
);

/** GraphQL's null is data that is null; a field left out is no data. */
export function dataOf(data: RawJson | null | undefined): RawJson | undefined {
  return data === null ? RawJson.trusted('null') : data;
}

builder.subscriptionField('eventIngested', (t) =>
  t.field({
    type: EventType,
    description:
      'Events as they are recorded. With `after`, the id of an event, first those recorded since: one that was being ' +
      'recorded together with it may be told again.',
    args: { app: t.arg.string(), name: t.arg.string(), after: t.arg.id() },
    subscribe: (_root, { app, name, after }, { engine, projectId }) =>
      tailEvents(engine, { projectId, app: app ?? undefined, name: name ?? undefined, afterId: after ?? undefined }),
    resolve: ({ id }, _args, context) => readTailed(context, id),
  }),
);

async function readTailed(context: SchemaContext, id: string): Promise<EventRow> {
  const { row, data } = await loadTailedEvent(context.engine, context.projectId, id);
  context.loaders.event.prime(id, row);
  context.loaders.eventData.prime(id, 'data', data);
  return row;
}
