import { type ScopeKey, searchable, wholeWorkflow } from '../../engine/flow/index.ts';
import { slotOf } from '../../engine/flow/policies/concurrency/index.ts';
import type { RunFilter } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunStatusEnum, RunStatusFilterEnum, TriggerKindEnum } from '../machinery/enums.ts';

type InputFields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]>['fields']>[0];

export const TagFilterInput = builder.inputType('TagFilter', {
  fields: (t) => ({ key: t.string({ required: true }), value: t.string({ required: true }) }),
});

const ScopeFilterInput = builder.inputType('ScopeFilter', {
  description: 'A scope of the `concurrency` policy of a workflow.',
  fields: (t) => ({
    app: t.string({ required: true, description: 'The app of the workflow.' }),
    workflow: t.string({ required: true, description: 'The workflow with the policy.' }),
    key: t.string({ description: "The value at the policy's key. Absent: the scope of the whole workflow." }),
  }),
});

/** The filters of lists and of bulk calls alike. */
export const filterFields = (t: InputFields) => ({
  app: t.string({ description: 'Only runs of this app.' }),
  workflow: t.string({ description: 'Only runs of workflows with this name.' }),
  status: t.field({
    type: RunStatusFilterEnum,
    description: 'Only runs of this status, or of the three active ones.',
  }),
  statuses: t.field({
    type: [RunStatusEnum],
    description: 'Only runs of one of these statuses. An empty list counts as absent.',
  }),
  runType: t.field({ type: TriggerKindEnum, description: 'Only runs with this kind of start.' }),
  version: t.string({ description: 'Only runs that started with this version of the definition.' }),
  eventId: t.id({ description: 'Only runs that this event started, alone or in a batch.' }),
  dedupeId: t.string({ description: 'Only runs that an event or a manual trigger with this `dedupeId` started.' }),
  replayOf: t.id({ description: 'Only replays and retries of this run.' }),
  parentRunId: t.id({ description: 'Only direct children of this run.' }),
  rootOnly: t.boolean({ description: 'Leaves out the children of other runs.' }),
  isReplayed: t.boolean({ description: 'Only runs that were replayed or retried from a step; `false`: only others.' }),
  bulkId: t.id({ description: 'Only runs that this bulk call made by replay, or cancelled.' }),
  session: t.string({ description: 'Only runs of this session. A run without a session matches by its own id.' }),
  errorGroup: t.string({
    description: 'Only failed runs with errors of this group. `failureGroups` names the groups.',
  }),
  scope: t.field({
    type: ScopeFilterInput,
    description: 'Only unfinished runs that hold a place of this scope, or wait for one.',
  }),
  q: t.string({ description: 'A part of the workflow, the run id or the app, in upper or lower case.' }),
  deep: t.boolean({ description: 'Also searches `q` in the text of input, result and error.' }),
  since: t.field({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
  until: t.field({ type: 'DateTime', description: 'Only runs created before this instant.' }),
  endedSince: t.field({ type: 'DateTime', description: 'Only runs that ended at or after this instant.' }),
});

/** 4.4 */
export const RunFilterInput = builder.inputType('RunFilter', {
  description: 'A run must match all given fields.',
  fields: (t) => ({
    ...filterFields(t),
    tags: t.field({ type: [TagFilterInput], description: 'Only runs that have all of these tags.' }),
  }),
});

interface Scoped {
  scope?: { app: string; workflow: string; key?: string | null | undefined } | null | undefined;
}

/** The engine's filter: a scope is named by its digest. */
export function toRunFilter<Given extends Scoped>(
  projectId: string,
  filter: Given | null | undefined,
): Omit<Given, 'scope'> & Pick<RunFilter, 'slot'> {
  const { scope, ...others } = filter ?? ({} as Given);
  return { ...others, slot: scope ? slotOf(projectId, scope.app, scope.workflow, scopeKey(scope.key)) : undefined };
}

const scopeKey = (key: string | null | undefined): ScopeKey =>
  key === null || key === undefined ? wholeWorkflow : `=${searchable(key)}`;
