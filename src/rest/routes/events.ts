import { invalid } from '../../engine/errors.ts';
import { eventsFromNow } from '../../engine/event-tail/index.ts';
import { isId } from '../../engine/ids.ts';
import { requireProject } from '../../engine/keys/index.ts';
import { optionalText, payload, requiredText, tags } from '../declare/fields.ts';
import { cursor, pageSize, text } from '../declare/parameters.ts';
import { documentRoute, streamRoute } from '../declare/route.ts';

const triggerOutcome = /* GraphQL */ `
  fragment TriggerOutcome on TriggerOutcome {
    workflow app runId existingRunId skipped dropped debounced batched deduped
  }`;

const eventRecord = /* GraphQL */ `
  fragment EventRecord on Event {
    id name app data tags session dedupeId targetApp runner source sourceRunId receivedAt
    triggered { ...TriggerOutcome }
    woke wokeRuns suspended
  }
  ${triggerOutcome}`;

/** 4.3, 6.1 */
export const sendEvent = documentRoute({
  method: 'POST',
  path: '/events',
  scope: 'write',
  group: 'events',
  summary: 'Record an event, wake what waits for it, start what it triggers',
  body: {
    required: true,
    fields: {
      name: requiredText('What triggers and waiters are matched against.'),
      app: optionalText('The app that publishes it; `default` when left out.'),
      runner: optionalText(
        'The id of the one runner that may execute the runs; only workflows that it registered are started.',
      ),
      targetApp: optionalText('Triggers of this app only.'),
      dedupeId: optionalText('A repeat for the same app within 24 hours is dropped.'),
      data: payload('The payload.'),
      tags,
      session: optionalText('Groups runs into one conversation.'),
    },
  },
  document: /* GraphQL */ `
    mutation SendEvent($input: SendEventInput!) {
      sendEvent(input: $input) { ...EventAnswer }
    }
    fragment EventAnswer on SendEventPayload {
      eventId runId existingRunId woke skipped dropped debounced batched deduped suspended
      triggered { ...TriggerOutcome }
    }
    ${triggerOutcome}`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 202, at: ['sendEvent'] },
});

/** 4.3, newest first */
export const listEvents = documentRoute({
  method: 'GET',
  path: '/events',
  scope: 'read',
  group: 'events',
  summary: 'The event log, newest first',
  parameters: {
    app: text('Events that one app published.'),
    name: text('Events of one name.'),
    limit: pageSize(),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListEvents($app: String, $name: String, $first: Int, $after: String) {
      events(app: $app, name: $name, first: $first, after: $after) {
        nodes { ...EventRecord }
        pageInfo { hasNextPage endCursor }
      }
    }
    ${eventRecord}`,
  variables: ({ query: { app, name, limit, cursor } }) => ({ app, name, first: limit, after: cursor }),
  success: { status: 200, at: ['events', 'nodes'], page: ['events', 'pageInfo'] },
});

/** 4.3 */
export const getEvent = documentRoute({
  method: 'GET',
  path: '/events/{id}',
  scope: 'read',
  group: 'events',
  summary: 'One event, with what it started and woke',
  document: /* GraphQL */ `
    query GetEvent($id: ID!) { event(id: $id) { ...EventRecord } }
    ${eventRecord}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['event'], missing: 'event not found' },
});

/** 6.3. The past is told only to a reader that comes back with the id of the last event it saw. */
export const streamEvents = streamRoute({
  path: '/events/stream',
  group: 'events',
  summary: 'Live tail of ingested events',
  parameters: { app: text('Events that one app published.'), name: text('Events of one name.') },
  document: /* GraphQL */ `
    subscription EventStream($app: String, $name: String, $after: ID) {
      eventIngested(app: $app, name: $name, after: $after) { ...EventRecord }
    }
    ${eventRecord}`,
  variables: ({ query }, lastEventId) => ({ ...query, after: lastEventId && eventId(lastEventId) }),
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
