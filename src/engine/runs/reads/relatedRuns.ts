import { isId } from '../../ids.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import type { Conditions } from '../../paging/index.ts';

// Conditions that find runs by rows beside them: each is one list of ids, or one look at an index.

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
export function addEvent(where: Conditions, eventId: string | null | undefined): void {
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
export function addDedupeId(where: Conditions, project: string, dedupeId: string | null | undefined): void {
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

/**
 * The unfinished runs of a `concurrency` scope, by its digest. The scope may hold most runs of a
 * project, so it is no list of ids.
 */
export function addSlot(where: Conditions, slot: string | null | undefined): void {
  if (slot === null || slot === undefined) return;
  where.add(`exists (select from run_work w where w.run_id = run.id and w.slot = ${where.parameter(slot)}::bigint)`);
}

/** The runs that a bulk call made or cancelled, at most 1000. */
export function addBulk(where: Conditions, project: string, bulkId: string | null | undefined): void {
  if (bulkId === null || bulkId === undefined) return;
  if (!isId(bulkId)) {
    where.excludeAll();
    return;
  }
  where.add(`run.id = any(array(
    select unnest(bulk.run_ids) from control_action bulk
    where bulk.id = ${where.parameter(bulkId)}::uuid and bulk.project_id = ${project}))`);
}
