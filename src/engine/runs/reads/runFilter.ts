import { isLongerThan, maxNameLength } from '../../codePoints.ts';
import { invalid } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import { Conditions } from '../../paging/index.ts';
import { activeStatuses, type RunStatusFilter, type TriggerKind } from '../status.ts';
import { parseTags } from '../tags.ts';
import { contentPattern } from './contentPattern.ts';

export interface TagFilter {
  key: string;
  value: string;
}

/** The filters of 4.4. All that are given must hold. */
export interface RunFilter {
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  /** One status, or an alias of 3.1. */
  status?: RunStatusFilter | null | undefined;
  runType?: TriggerKind | null | undefined;
  /** An event that started the run, alone or in a batch. */
  eventId?: string | null | undefined;
  /** The `dedupeId` of an event or a manual trigger that started the run. */
  dedupeId?: string | null | undefined;
  replayOf?: string | null | undefined;
  parentRunId?: string | null | undefined;
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
}

/**
 * The conditions of a query on the runs of a project, which is the first parameter. Throws
 * `invalid` on tags that no run can hold.
 */
export function runConditions(projectId: string, filter: RunFilter): Conditions {
  const where = new Conditions();
  const project = `${where.parameter(projectId)}::uuid`;
  where.add(`run.project_id = ${project}`);
  where.equal('run.app', filter.app);
  where.equal('run.workflow', filter.workflow);
  addSession(where, project, filter.session);
  where.equal('run.trigger_kind', filter.runType);
  addEvent(where, filter.eventId);
  addDedupeId(where, project, filter.dedupeId);
  addId(where, 'run.replay_of', filter.replayOf);
  addId(where, 'run.parent_run_id', filter.parentRunId);
  if (filter.since) where.add(`run.created_at >= ${where.parameter(filter.since)}::timestamptz`);
  if (filter.until) where.add(`run.created_at < ${where.parameter(filter.until)}::timestamptz`);
  addStatus(where, filter.status);
  addTags(where, filter.tags);
  addSearch(where, filter);
  return where;
}

/**
 * The runs of a session. A run without a session is one by itself, under its own id. So a text that
 * may be an id is looked up in both ways, as one list of ids, and neither way scans other runs.
 */
export function addSession(where: Conditions, project: string, session: string | null | undefined): void {
  if (!isId(session)) {
    where.equal('run.session', session);
    return;
  }
  const [name, id] = [where.parameter(session), where.parameter(session)];
  where.add(`run.id = any(array(
    select member.id from run member where member.project_id = ${project} and member.session = ${name}::text
    union all
    select own.id from run own where own.id = ${id}::uuid and own.session is null))`);
}

/**
 * Runs that an event started, batches included: their own event is the first of the batch. They are
 * one list of ids, which the primary key finds.
 */
function addEvent(where: Conditions, eventId: string | null | undefined): void {
  if (eventId === null || eventId === undefined) return;
  if (!isId(eventId)) {
    where.excludeAll();
    return;
  }
  const id = `${where.parameter(eventId)}::uuid`;
  where.add(`run.id = any(array(
    select own.id from run own where own.event_id = ${id}
    union all
    select (told.entry ->> 'runId')::uuid from event cross join lateral json_array_elements(event.triggered) as told (entry)
    where event.id = ${id} and told.entry ->> 'runId' is not null))`);
}

/**
 * Runs of events and of triggers with this `dedupeId`, also of past windows. The event names its
 * runs, so those of a batch are found by each of its events.
 */
function addDedupeId(where: Conditions, project: string, dedupeId: string | null | undefined): void {
  if (dedupeId === null || dedupeId === undefined) return;
  if (hasUnsupportedCharacter(dedupeId)) {
    where.excludeAll();
    return;
  }
  const wanted = `${where.parameter(dedupeId)}::text`;
  where.add(`run.id = any(array(
    select own.id from run own where own.project_id = ${project} and own.dedupe_id = ${wanted}
    union all
    select (told.entry ->> 'runId')::uuid from event cross join lateral json_array_elements(event.triggered) as told (entry)
    where event.project_id = ${project} and event.dedupe_id = ${wanted} and told.entry ->> 'runId' is not null))`);
}

/** Whether a text is a UUID, and so may be an id. */
function addId(where: Conditions, column: string, id: string | null | undefined): void {
  if (id === null || id === undefined) return;
  if (isId(id)) where.add(`${column} = ${where.parameter(id)}::uuid`);
  else where.excludeAll();
}

function addStatus(where: Conditions, status: RunFilter['status']): void {
  if (status === 'active') where.add(`run.status = any(${where.parameter(activeStatuses)}::text[])`);
  else if (status !== 'all') where.equal('run.status', status);
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
