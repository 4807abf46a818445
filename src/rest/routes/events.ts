import { invalid } from '../../engine/errors.ts';
import { eventsFromNow } from '../../engine/event-tail/index.ts';
import { maxEventsPerCall } from '../../engine/events/index.ts';
import { isId } from '../../engine/ids.ts';
import { requireProject } from '../../engine/keys/index.ts';
import { optionalText, payload, requiredText, tags, timing } from '../declare/fields.ts';
import { requiredObjects } from '../declare/objectFields.ts';
import { cursor, flag, oneOf, pageSize, text, timestamp } from '../declare/parameters.ts';
import { documentRoute, streamRoute } from '../declare/route.ts';

const triggerOutcome = /* GraphQL */ `
  fragment TriggerOutcome on TriggerOutcome {
    workflow app runId existingRunId skipped dropped debounced batched deduped
  }`;

const eventRecord = /* GraphQL */ `
  fragment Event on Event {
    id name app data tags headers session dedupeId targetApp runner source sourceRunId receivedAt
    triggered { ...TriggerOutcome }
    woke wokeRuns suspended
  }
  ${triggerOutcome}`;

const eventFields = {
  name: requiredText('The name by which triggers and waiters match the event.'),
  app: optionalText('The app that publishes it; `default` when absent.'),
  runner: optionalText(
    'The id of the only runner that may execute the runs. Starts only workflows that it registered.',
  ),
  targetApp: optionalText('Start workflows of this app only.'),
  dedupeId: optionalText('A repeat for the same app within 24 hours is dropped.'),
  data: payload('The payload.'),
  tags,
  session: optionalText('Groups runs into one conversation.'),
  ...timing,
};

const eventAnswer = /* GraphQL */ `
  fragment EventAnswer on SendEventPayload {
    eventId runId existingRunId woke skipped dropped debounced batched deduped suspended
    triggered { ...TriggerOutcome }
  }
  ${triggerOutcome}`;

/** 4.3, 6.1 */
export const sendEvent = documentRoute({
  method: 'POST',
  path: '/events',
  scope: 'write',
  group: 'events',
  summary: 'Send an event, which starts workflows and wakes waiting runs',
  body: {
    required: true,
    fields: eventFields,
  },
  document: /* GraphQL */ `
    mutation SendEvent($input: SendEventInput!) {
      sendEvent(input: $input) { ...EventAnswer }
    }
    ${eventAnswer}`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 202, at: ['sendEvent'] },
});

/**
 * The body is an object, as of all routes: it leaves room for options of the whole call, and so
 * does the answer.
 */
export const sendEvents = documentRoute({
  method: 'POST',
  path: '/events/batch',
  scope: 'write',
  group: 'events',
  summary: 'Send many events in one transaction, or none of them',
  body: {
    required: true,
    fields: { events: requiredObjects(eventFields, 'The events, in their order.', maxEventsPerCall) },
  },
  document: /* GraphQL */ `
    mutation SendEvents($input: SendEventsInput!) {
      sendEvents(input: $input) { ...EventAnswers }
    }
    fragment EventAnswers on SendEventsPayload { results { ...EventAnswer } }
    ${eventAnswer}`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 202, at: ['sendEvents'] },
});

/** 4.3, newest first */
export const listEvents = documentRoute({
  method: 'GET',
  path: '/events',
  scope: 'read',
  group: 'events',
  summary: 'List events, newest first',
  parameters: {
    app: text('Only events that this app published.'),
    name: text('Only events of this name.'),
    source: oneOf(['api', 'webhook', 'emit'], 'Only events that came in this way.'),
    sourceRunId: text('Only events that this run emitted.'),
    session: text('Only events of this session.'),
    since: timestamp('Only events that came at or after this time.'),
    until: timestamp('Only events that came before this time.'),
    unmatchedOnly: flag('Only events that matched no trigger and woke no run.'),
    limit: pageSize(),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListEvents(
      $app: String, $name: String, $source: EventSource, $sourceRunId: ID, $session: String,
      $since: DateTime, $until: DateTime, $unmatchedOnly: Boolean, $first: Int, $after: String
    ) {
      events(
        app: $app, name: $name, source: $source, sourceRunId: $sourceRunId, session: $session,
        since: $since, until: $until, unmatchedOnly: $unmatchedOnly, first: $first, after: $after
      ) {
        nodes { ...Event }
        pageInfo { hasNextPage endCursor }
      }
    }
    ${eventRecord}`,
  variables: ({ query: { limit, cursor, ...filter } }) => ({ ...filter, first: limit, after: cursor }),
  success: { status: 200, at: ['events', 'nodes'], page: ['events', 'pageInfo'] },
});

/** 4.3 */
export const getEvent = documentRoute({
  method: 'GET',
  path: '/events/{id}',
  scope: 'read',
  group: 'events',
  summary: 'Get an event, with the runs that it started and woke',
  document: /* GraphQL */ `
    query GetEvent($id: ID!) { event(id: $id) { ...Event } }
    ${eventRecord}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['event'], missing: 'event not found' },
});

/** 6.3. Sends past events only to a reader that reconnects with the id of its last event. */
export const streamEvents = streamRoute({
  path: '/events/stream',
  group: 'events',
  summary: 'Stream new events',
  parameters: { app: text('Only events that this app published.'), name: text('Only events of this name.') },
  document: /* GraphQL */ `
    subscription EventStream($app: String, $name: String, $after: ID) {
      eventIngested(app: $app, name: $name, after: $after) { ...Event }
    }
    ${eventRecord}`,
  variables: ({ query }, lastEventId) => ({ ...query, after: lastEventId && eventId(lastEventId) }),
  lastEventId: { description: 'The id of the last event that was read.', schema: { type: 'string', format: 'uuid' } },
  at: 'eventIngested',
  event: { word: 'event' },
  id: 'id',
  isShared: ({ after }) => after === undefined,
  begin: ({ engine, principal }) => eventsFromNow(engine, requireProject(principal)),
});

function eventId(lastEventId: string): string {
  if (!isId(lastEventId)) throw invalid('Last-Event-ID must be the id of an event');
  return lastEventId;
}
