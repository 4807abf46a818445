import { tailEvents } from '../../engine/event-tail/index.ts';
import {
  type EventAnswer,
  type EventRow,
  listEvents,
  maxEventsPerCall,
  maxStartsPerCall,
  sendEvent,
  sendEvents,
  type TriggerRecord,
} from '../../engine/events/index.ts';
import type { Withheld } from '../../engine/flow/index.ts';
import { isId } from '../../engine/ids.ts';
import { delayText, startAtText, ttlText } from '../../engine/ingest/index.ts';
import { RawJson } from '../../engine/json/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import { loadTailedEvent } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { EventSourceEnum } from '../machinery/enums.ts';
import { fittingEvents, readConnection } from '../machinery/fittingPage.ts';
import { loadedPayload } from '../machinery/payload.ts';
import { PayloadType, viewPayload } from './payloads.ts';
import { NodeInterface, RunType } from './refs.ts';
import { TagFilterInput } from './runFilter.ts';

/** Booleans that explain why no run started are null unless true (4.2, 4.3). */
const TriggerOutcomeType = builder.objectRef<TriggerRecord>('TriggerOutcome').implement({
  description:
    'The result of an event for one matching workflow. A debounced or batched start gets its `runId` once its run has started.',
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    runId: t.exposeID('runId', { nullable: true }),
    existingRunId: t.exposeID('existingRunId', {
      nullable: true,
      description: 'The run that caused the skip or the dedupe.',
    }),
    skipped: t.exposeBoolean('skipped', { nullable: true }),
    dropped: t.exposeBoolean('dropped', { nullable: true }),
    debounced: t.exposeBoolean('debounced', { nullable: true }),
    batched: t.exposeBoolean('batched', { nullable: true }),
    deduped: t.exposeBoolean('deduped', { nullable: true }),
  }),
});

export const EventType = builder.objectRef<EventRow>('Event').implement({
  description: 'An event of the log, with the runs that it started and woke.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    app: t.exposeString('app', { description: 'The app that published the event.' }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      resolve: ({ id }, _args, { loaders }) => loadedPayload(loaders.events.eventData.get(id, 'data')),
    }),
    dataPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: ({ id }, _args, { loaders }, info) => {
        const text = async () => loaders.events.eventData.get(id, 'data');
        return viewPayload({ of: { id }, column: 'data', heads: loaders.events.eventHead, text }, info);
      },
    }),
    tags: t.expose('tags', { type: 'Tags', nullable: true }),
    headers: t.expose('headers', {
      type: 'JSON',
      nullable: true,
      description: 'The headers that its webhook source exposes, by name in lower case.',
    }),
    session: t.exposeString('session', { nullable: true }),
    dedupeId: t.exposeString('dedupeId', { nullable: true }),
    targetApp: t.exposeString('targetApp', { nullable: true }),
    runner: t.string({
      nullable: true,
      resolve: ({ runner }, _args, context) => runner && context.shownUrl(runner),
    }),
    source: t.expose('source', { type: EventSourceEnum }),
    sourceRunId: t.exposeID('sourceRunId', { nullable: true, description: 'The run that emitted the event.' }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime' }),
    triggered: t.field({ type: [TriggerOutcomeType], resolve: (event) => event.triggered }),
    runs: t.field({
      type: [RunType],
      description: 'Runs that the event started, in the order of `triggered`.',
      args: { limit: t.arg.int({ description: 'Length of the list: 100 by default, at most 1000.' }) },
      resolve: async ({ triggered }, { limit }, { loaders }) => {
        const started = new Set(triggered.flatMap(({ runId }) => runId ?? []));
        const ids = [...started].slice(0, pageSize(limit, 'limit'));
        const runs = await Promise.all(ids.map((id) => loaders.runs.run.load(id)));
        return runs.filter((run) => run !== undefined);
      },
    }),
    woke: t.exposeInt('woke', { description: 'The number of runs that the event woke.' }),
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
    description:
      'The event log, newest first: 100 by default, at most 1000. No index has source, session, tags and matches: give `since` with them.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      app: t.arg.string(),
      name: t.arg.string(),
      source: t.arg({ type: EventSourceEnum, description: 'Only events that came in this way.' }),
      sourceRunId: t.arg.id({ description: 'Only events that this run emitted.' }),
      session: t.arg.string({ description: 'Only events of this session.' }),
      tags: t.arg({ type: [TagFilterInput], description: 'Only events that have all of these tags.' }),
      since: t.arg({ type: 'DateTime', description: 'Only events that came at or after this instant.' }),
      until: t.arg({ type: 'DateTime', description: 'Only events that came before this instant.' }),
      unmatchedOnly: t.arg.boolean({ description: 'Only events that matched no trigger and woke no run.' }),
    },
    resolve: (_root, { first, after, ...filter }, context, info) => {
      const { engine, projectId } = context;
      return readConnection({ first, after }, async (part) =>
        fittingEvents(context, await listEvents(engine, { projectId, ...filter, ...part }), info),
      );
    },
  }),
}));

/** An event of the caller's project; null if there is none with that id. */
export const findEvent = async (context: SchemaContext, id: string): Promise<EventRow | null> =>
  isId(id) ? ((await context.loaders.events.event.load(id)) ?? null) : null;

const SendEventInput = builder.inputType('SendEventInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    app: t.string({
      description: 'The app that publishes the event; `default` unless given. Triggers of all apps still match.',
    }),
    runner: t.string({ description: 'Pins the runs to this runner. Only workflows that it registered start.' }),
    targetApp: t.string({ description: 'Only triggers of this app match.' }),
    dedupeId: t.string({ description: 'An event with the same id within the dedupe window is dropped.' }),
    data: t.field({ type: 'JSON' }),
    tags: t.field({ type: 'Tags', description: 'Tags of the event, and of every run that it starts.' }),
    session: t.string(),
    startAt: t.field({ type: 'DateTime', description: startAtText }),
    delayMs: t.float({ description: delayText }),
    ttlMs: t.float({ description: ttlText }),
  }),
});

const SendEventPayload = builder.objectRef<EventAnswer>('SendEventPayload').implement({
  fields: (t) => ({
    event: t.field({
      type: EventType,
      nullable: true,
      description: 'The recorded event; for a repeat, the first event.',
      resolve: ({ eventId }, _args, context) => findEvent(context, eventId),
    }),
    eventId: t.exposeID('eventId', { description: 'The id of the recorded event; for a repeat, of the first event.' }),
    runId: t.exposeID('runId', {
      nullable: true,
      description: 'The `runId` of the first entry of `triggered`.',
    }),
    existingRunId: t.exposeID('existingRunId', {
      nullable: true,
      description: 'The first `existingRunId` of `triggered`; for a repeat, the run of the first event.',
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

/** True if a gate kept some workflow from starting, otherwise null. */
const some = (triggered: readonly TriggerRecord[], gate: Withheld) => triggered.some((each) => each[gate]) || null;

builder.mutationField('sendEvent', (t) =>
  t.field({
    type: SendEventPayload,
    description: 'Records an event, starts the workflows that it triggers and wakes the runs that wait for it.',
    args: { input: t.arg({ type: SendEventInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const { engine, projectId } = context;
      const answer = await sendEvent(engine, { projectId, input: { ...input, data: dataOf(input.data) } });
      context.refresh();
      return answer;
    },
  }),
);

const SendEventsInput = builder.inputType('SendEventsInput', {
  fields: (t) => ({
    events: t.field({
      type: [SendEventInput],
      required: true,
      description: `The events, in their order: 1 to ${maxEventsPerCall}.`,
    }),
  }),
});

const SendEventsPayload = builder.objectRef<{ results: readonly EventAnswer[] }>('SendEventsPayload').implement({
  fields: (t) => ({
    results: t.field({
      type: [SendEventPayload],
      description: 'One for each event, in the order of the call.',
      resolve: ({ results }) => results,
    }),
  }),
});

builder.mutationField('sendEvents', (t) =>
  t.field({
    type: SendEventsPayload,
    description: `Records many events in one transaction, or none of them. Together they start at most ${maxStartsPerCall} runs.`,
    args: { input: t.arg({ type: SendEventsInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const { engine, projectId } = context;
      const inputs = input.events.map((event) => ({ ...event, data: dataOf(event.data) }));
      const results = await sendEvents(engine, { projectId, inputs });
      context.refresh();
      return { results };
    },
  }),
);

/** Null in GraphQL is data that is `null`; an absent field is no data. */
export function dataOf(data: RawJson | null | undefined): RawJson | undefined {
  return data === null ? RawJson.trusted('null') : data;
}

builder.subscriptionField('eventIngested', (t) =>
  t.field({
    type: EventType,
    description:
      'Events as they are recorded, each once. With `after`, the id of an event, first those that followed it.',
    args: { app: t.arg.string(), name: t.arg.string(), after: t.arg.id() },
    subscribe: (_root, { app, name, after }, { engine, projectId }) =>
      tailEvents(engine, { projectId, app: app ?? undefined, name: name ?? undefined, afterId: after ?? undefined }),
    resolve: (event, _args, context) => {
      context.lastEvent = event;
      return readTailed(context, event.id);
    },
  }),
);

async function readTailed(context: SchemaContext, id: string): Promise<EventRow> {
  const { row, data } = await loadTailedEvent(context.engine, context.projectId, id);
  context.loaders.events.event.prime(id, row);
  context.loaders.events.eventData.prime(id, 'data', data);
  return row;
}
