import { isLongerThan, maxNameLength } from '../../codePoints.ts';
import { invalid } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import { Conditions } from '../../paging/index.ts';
import { likenessSql } from '../likeness.ts';
import { activeStatuses, type RunStatus, type RunStatusFilter, type TriggerKind } from '../status.ts';
import { parseTags } from '../tags.ts';
import { contentPattern } from './contentPattern.ts';
import { addBulk, addDedupeId, addEvent, addSession, addSlot } from './relatedRuns.ts';

export interface TagFilter {
  key: string;
  value: string;
}

/** The filters of 4.4. All that are given must hold. */
export interface RunFilter {
  /** Only these runs. */
  runIds?: readonly string[] | null | undefined;
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  /** One status, or an alias of 3.1. */
  status?: RunStatusFilter | null | undefined;
  /** Any of these; an empty list counts as absent. */
  statuses?: readonly RunStatus[] | null | undefined;
  runType?: TriggerKind | null | undefined;
  /** An event that started the run, alone or in a batch. */
  eventId?: string | null | undefined;
  /** The `dedupeId` of an event or a manual trigger that started the run. */
  dedupeId?: string | null | undefined;
  replayOf?: string | null | undefined;
  parentRunId?: string | null | undefined;
  /** Leaves out the children of other runs. */
  rootOnly?: boolean | null | undefined;
  /** Whether the run was replayed, or retried from a step. */
  isReplayed?: boolean | null | undefined;
  /** The version of the definition. */
  version?: string | null | undefined;
  /** Failed runs whose errors are alike, by the id of their group. */
  errorGroup?: string | null | undefined;
  /** Digest of a `concurrency` scope: the unfinished runs that hold it, or wait in it. */
  slot?: string | null | undefined;
  /** The bulk call that made the run by a replay, or cancelled it. */
  bulkId?: string | null | undefined;
  session?: string | null | undefined;
  tags?: readonly TagFilter[] | null | undefined;
  /** Part of the workflow's name, the run's id or the app's name, in any case. */
  q?: string | null | undefined;
  /** Widens `q` to the text of input, result and error. */
  deep?: boolean | null | undefined;
  /** Only runs that started at or after it. */
  since?: Date | null | undefined;
  /** Only runs that started before it. */
  until?: Date | null | undefined;
  /** Only runs that ended at or after it. */
  endedSince?: Date | null | undefined;
}

/**
 * The conditions of a query on the runs of a project, which is the first parameter. Throws
 * `invalid` on tags that no run can hold.
 */
export function runConditions(projectId: string, filter: RunFilter): Conditions {
  const where = new Conditions();
  const project = `${where.parameter(projectId)}::uuid`;
  where.add(`run.project_id = ${project}`);
  addIds(where, filter.runIds);
  where.equal('run.app', filter.app);
  where.equal('run.workflow', filter.workflow);
  addSession(where, project, filter.session);
  where.equal('run.trigger_kind', filter.runType);
  addEvent(where, filter.eventId);
  addDedupeId(where, project, filter.dedupeId);
  addId(where, 'run.replay_of', filter.replayOf);
  addId(where, 'run.parent_run_id', filter.parentRunId);
  addKinship(where, filter);
  where.equal('run.version', filter.version);
  addTimes(where, filter);
  addStatus(where, filter);
  addErrorGroup(where, filter.errorGroup);
  addSlot(where, filter.slot);
  addBulk(where, project, filter.bulkId);
  addTags(where, filter.tags);
  addSearch(where, filter);
  return where;
}

/** A text that is no UUID is no id. */
function addIds(where: Conditions, ids: readonly string[] | null | undefined): void {
  if (ids) where.add(`run.id = any(${where.parameter(ids.filter(isId))}::uuid[])`);
}

/** Whether a text is a UUID, and so may be an id. */
function addId(where: Conditions, column: string, id: string | null | undefined): void {
  if (id === null || id === undefined) return;
  if (isId(id)) where.add(`${column} = ${where.parameter(id)}::uuid`);
  else where.excludeAll();
}

function addKinship(where: Conditions, { rootOnly, isReplayed }: RunFilter): void {
  if (rootOnly) where.add('run.parent_run_id is null');
  if (isReplayed === null || isReplayed === undefined) return;
  where.add(`${isReplayed ? '' : 'not '}exists (select from run replay where replay.replay_of = run.id)`);
}

function addTimes(where: Conditions, { since, until, endedSince }: RunFilter): void {
  if (since) where.add(`run.created_at >= ${where.parameter(since)}::timestamptz`);
  if (until) where.add(`run.created_at < ${where.parameter(until)}::timestamptz`);
  if (endedSince) where.add(`run.ended_at >= ${where.parameter(endedSince)}::timestamptz`);
}

function addStatus(where: Conditions, filter: RunFilter): void {
  const { status } = filter;
  const several = statusesOf(filter);
  if (several) where.add(`run.status = any(${where.parameter(several)}::text[])`);
  else if (status !== 'all') where.equal('run.status', status);
}

/** The statuses of a filter that names several, each once; undefined for others. */
export function statusesOf({ status, statuses }: RunFilter): readonly RunStatus[] | undefined {
  if (!statuses?.length) return status === 'active' ? activeStatuses : undefined;
  const each = [...new Set(statuses)];
  if (!status || status === 'all') return each;
  const named: readonly RunStatus[] = status === 'active' ? activeStatuses : [status];
  return each.filter((one) => named.includes(one));
}

function addErrorGroup(where: Conditions, group: string | null | undefined): void {
  if (group === null || group === undefined) return;
  if (!/^[0-9a-f]{32}$/.test(group)) where.excludeAll();
  else where.add(`run.status = 'failed' and md5(${likenessSql('run.error')}) = ${where.parameter(group)}`);
}

/** A single containment over all pairs, which the index on tags answers. */
function addTags(where: Conditions, tags: readonly TagFilter[] | null | undefined): void {
  if (!tags || tags.length === 0) return;
  const wanted = parseTags(Object.fromEntries(tags.map(({ key, value }) => [key, value])), 'tags');
  // A run has one value per key, so no run meets two demands on one key.
  if (tags.some(({ key, value }) => wanted?.[key] !== value)) where.excludeAll();
  where.add(`run.tags @> ${where.parameter(JSON.stringify(wanted))}::jsonb`);
}

const names = ['run.workflow', 'run.app', 'run.id::text'];
const payloads = ['run.input::text', 'run.result::text', 'run.error::text'];

function addSearch(where: Conditions, { q, deep }: RunFilter): void {
  if (!q) return;
  if (isLongerThan(q, maxNameLength)) throw invalid(`q may be at most ${maxNameLength} characters long`);
  if (hasUnsupportedCharacter(q)) {
    where.excludeAll();
    return;
  }
  const part = where.parameter(`%${q.replace(/[\\%_]/g, '\\$&')}%`);
  const terms = names.map((column) => `${column} ilike ${part}`);
  if (deep) {
    const content = where.parameter(contentPattern(q));
    terms.push(...payloads.map((column) => `(${column} ilike ${part} or ${holdsEscaped(column, content)})`));
  }
  where.add(`(${terms.join(' or ')})`);
}

/**
 * Payloads are stored with the escapes of their sender. Few texts have escapes, and the others cost
 * no second look.
 */
const holdsEscaped = (column: string, content: string): string =>
  `strpos(${column}, '\\') > 0 and ${column} ~* ${content}`;
