import { pageSize } from '../../engine/paging/index.ts';
import { type FailureGroup, type FailureGroups, readFailureGroups } from '../../engine/runs/index.ts';
import { ageMs } from '../../engine/sharedRead.ts';
import { builder } from '../machinery/builder.ts';
import { ErrorDetailType, errorDetail } from '../machinery/payload.ts';
import { RunType } from './refs.ts';
import { RunFilterInput, toRunFilter } from './runFilter.ts';
import { maxAgeHelp } from './runStats.ts';

const FailureGroupType = builder.objectRef<FailureGroup>('FailureGroup').implement({
  description: 'Failed runs whose errors are alike: one name, and messages that differ in ids and numbers only.',
  fields: (t) => ({
    errorGroup: t.exposeString('errorGroup', {
      description: 'Selects the runs of the group, as `errorGroup` of a filter.',
    }),
    count: t.exposeInt('count', { description: 'The number of its runs.' }),
    workflows: t.exposeInt('workflows', { description: 'The number of workflows that the runs are of.' }),
    first: t.expose('first', { type: 'DateTime', description: 'When the first of the runs failed.' }),
    last: t.expose('last', { type: 'DateTime', description: 'When the last of the runs failed.' }),
    error: t.field({
      type: ErrorDetailType,
      nullable: true,
      description: 'The error of the last of the runs.',
      resolve: ({ error }) => errorDetail(error),
    }),
    sample: t.field({
      type: RunType,
      nullable: true,
      description: 'The last of the runs.',
      resolve: ({ sampleId }, _args, { loaders }) => loaders.runs.run.load(sampleId),
    }),
  }),
});

const FailureGroupsType = builder.objectRef<FailureGroups>('FailureGroups').implement({
  description: 'The newest failed runs of a filter, by their errors.',
  fields: (t) => ({
    groups: t.field({
      type: [FailureGroupType],
      description: 'The group with the most runs first.',
      resolve: ({ groups }) => groups,
    }),
    examined: t.exposeInt('examined', {
      description: 'The failed runs that were looked at: the newest, at most 10000.',
    }),
    isCapped: t.exposeBoolean('isCapped', { description: 'Whether more failed runs match.' }),
  }),
});

builder.queryField('failureGroups', (t) =>
  t.field({
    type: FailureGroupsType,
    description: 'Why runs failed: their errors, with the number of runs of each.',
    args: {
      filter: t.arg({ type: RunFilterInput, description: 'Absent: all runs of the project.' }),
      limit: t.arg.int({ description: 'Number of groups: 100 by default, at most 1000.' }),
      maxAge: t.arg.int({ description: maxAgeHelp }),
    },
    resolve: (_root, { filter, limit, maxAge }, { engine, projectId }) =>
      readFailureGroups(engine, {
        projectId,
        filter: toRunFilter(projectId, filter),
        limit: pageSize(limit, 'limit'),
        maxAgeMs: ageMs(maxAge),
      }),
  }),
);
