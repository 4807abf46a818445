import { notFound } from '../../engine/errors.ts';
import { pageSize } from '../../engine/paging/index.ts';
import type { StatusCounts } from '../../engine/runs/index.ts';
import { maxCountedChildren } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import { EventType } from './events.ts';
import { RunType } from './refs.ts';
import { RunStatusCountsType } from './runStats.ts';

interface ChildCount {
  total: number;
  isCapped: boolean;
  byStatus: StatusCounts;
}

const ChildCountType = builder.objectRef<ChildCount>('ChildRunCounts').implement({
  description: 'Numbers of the direct children of a run.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: `Children that were counted, at most ${maxCountedChildren}.` }),
    isCapped: t.exposeBoolean('isCapped', { description: 'Whether the run has more children than were counted.' }),
    byStatus: t.expose('byStatus', { type: RunStatusCountsType, description: 'The counted children by status.' }),
  }),
});

const limitText = 'Length of the list: 100 by default, at most 1000.';

builder.objectFields(RunType, (t) => ({
  events: t.field({
    type: [EventType],
    description: 'The events that started it: all of a batch, else one. Empty without an event in the log.',
    args: { limit: t.arg.int({ description: limitText }) },
    resolve: async ({ id: runId, eventId }, { limit }, { loaders }) => {
      const size = pageSize(limit, 'limit');
      if (eventId === null) return [];
      const batch = (await loaders.links.batchEvents.load({ runId, limit: size })) ?? [];
      const ids = batch.length === 0 ? [eventId] : batch.map((each) => each.eventId);
      const events = await Promise.all(ids.map((id) => loaders.events.event.load(id)));
      return events.filter((event) => event !== undefined);
    },
  }),
  original: t.field({
    type: RunType,
    nullable: true,
    description: 'The run that this one replays or retries. Null for an original run.',
    resolve: ({ replayOf }, _args, { loaders }) => (replayOf === null ? null : loaders.runs.run.load(replayOf)),
  }),
  root: t.field({
    type: RunType,
    nullable: true,
    description: 'The run at the top of its parents. Null if it has no parent.',
    resolve: async ({ id, parentRunId }, _args, { loaders }) => {
      const root = parentRunId === null ? undefined : await loaders.links.rootRun.load(id);
      return root === undefined ? null : ((await loaders.runs.run.load(root)) ?? null);
    },
  }),
  failureHandler: t.field({
    type: RunType,
    nullable: true,
    description: 'The run that handles its failure (`onFailure`). Null until there is one.',
    resolve: async ({ id: runId, status }, _args, { loaders }) =>
      status === 'failed' ? ((await loaders.links.failureHandler.load({ runId, limit: 1 }))?.[0] ?? null) : null,
  }),
  startedRuns: t.field({
    type: [RunType],
    description:
      'Runs that the first 1000 events of its `step.emit` started, oldest first. A batch counts by its first event.',
    args: { limit: t.arg.int({ description: limitText }) },
    resolve: async ({ id: runId }, { limit }, { loaders }) =>
      (await loaders.links.startedRuns.load({ runId, limit: pageSize(limit, 'limit') })) ?? [],
  }),
  childCounts: t.field({
    type: ChildCountType,
    description: 'The direct children, counted by status.',
    resolve: async ({ id }, _args, { loaders }) => {
      const counts = await loaders.links.childCounts.load(id);
      if (!counts) throw notFound('run not found');
      const { total, byStatus } = counts;
      const isCapped = total > maxCountedChildren;
      return { total: Math.min(total, maxCountedChildren), isCapped, byStatus: JSON.parse(byStatus) };
    },
  }),
}));
