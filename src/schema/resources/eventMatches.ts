import {
  type EventMatch,
  type MatchOutcome,
  matchOutcomes,
  maxMatchedWorkflows,
  readEventMatches,
} from '../../engine/events/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import { builder } from '../machinery/builder.ts';
import { findEvent } from './events.ts';

const outcomeTexts: Record<MatchOutcome, string> = {
  started: 'A run started.',
  deduped: '`idempotency` withheld the start.',
  dropped: '`rateLimit` dropped the start.',
  skipped: 'A `singleton` skipped the start.',
  debounced: '`debounce` took the start up.',
  batched: '`batch` took the start up.',
  suspended: 'The project was suspended, so no run started.',
  guard_refused: 'A trigger names the event, and its `if` does not hold.',
  retired: 'A trigger names the event, and the workflow is retired.',
  other_app: 'A trigger names the event, which was sent to another app.',
  other_runner: 'A trigger names the event, which was pinned to a runner that does not serve the workflow.',
  other_event: 'No trigger names the event.',
  matches_now: 'The workflow would start by its present definition, or by its present state.',
};

const OutcomeEnum = builder.enumType('EventMatchOutcome', {
  description: 'The effect of an event on a workflow, or the reason why it had none.',
  values: Object.fromEntries(
    matchOutcomes.map((value) => [value.toUpperCase(), { value, description: outcomeTexts[value] }]),
  ),
});

const EventMatchType = builder.objectRef<EventMatch>('EventMatch').implement({
  description: 'The effect of an event on one workflow.',
  fields: (t) => ({
    app: t.exposeString('app', { description: 'The app of the workflow.' }),
    workflow: t.exposeString('workflow', { description: 'The name of the workflow.' }),
    outcome: t.field({
      type: OutcomeEnum,
      description: 'Recorded for matches. For others it follows from the definition that is registered now.',
      resolve: ({ outcome }) => outcome,
    }),
    runId: t.id({ nullable: true, description: 'The run that started.', resolve: ({ runId }) => runId ?? null }),
    existingRunId: t.id({
      nullable: true,
      description: 'The run that caused the skip or the dedupe.',
      resolve: ({ existingRunId }) => existingRunId ?? null,
    }),
    guards: t.field({
      type: ['String'],
      description: 'The guards that do not hold.',
      resolve: ({ guards }) => guards,
    }),
    fault: t.string({
      nullable: true,
      description: 'Why a guard does not hold, if the event is not the reason. It costs too much, for example.',
      resolve: ({ fault }) => fault ?? null,
    }),
    isChanged: t.exposeBoolean('isChanged', {
      description: 'Whether the definition changed after the event came. Then the reason may have been another.',
    }),
  }),
});

builder.queryField('eventMatches', (t) =>
  t.field({
    type: [EventMatchType],
    nullable: true,
    description: `The effect of an event on each workflow: matches first, then listeners to its name, then others. At most ${maxMatchedWorkflows} workflows are examined. Null if there is no such event.`,
    args: {
      eventId: t.arg.id({ required: true, description: 'An event of the log.' }),
      limit: t.arg.int({ description: 'Length of the list: 100 by default, at most 1000.' }),
    },
    resolve: async (_root, { eventId, limit }, context) => {
      const size = pageSize(limit, 'limit');
      const event = await findEvent(context, eventId);
      if (!event) return null;
      const { engine, projectId, loaders } = context;
      return readEventMatches(engine, { projectId, event, limit: size }, async () => {
        return (await loaders.events.eventData.get(event.id, 'data')) ?? null;
      });
    },
  }),
);
