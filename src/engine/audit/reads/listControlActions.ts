import type { EngineContext } from '../../context.ts';
import { isId } from '../../ids.ts';
import { plannedRead } from '../../longRead.ts';
import { Conditions, cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../paging/index.ts';
import type { ControlAction } from '../recordControl.ts';

/** An entry of the audit log (2.13). */
export interface ControlActionRow {
  id: string;
  action: ControlAction;
  runId: string | null;
  newRunId: string | null;
  actor: string | null;
  /** JSON text. */
  detail: string | null;
  createdAt: Date;
}

export interface ControlActionQuery {
  projectId: string;
  action?: ControlAction | null | undefined;
  /** Entries about this run, or about the fork that made it. */
  runId?: string | null | undefined;
  /** The name of the key of the caller. */
  actor?: string | null | undefined;
  /** From `since` on, and before `until`. */
  since?: Date | null | undefined;
  until?: Date | null | undefined;
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

const order = 'controlActions.newest';

/** A page of the audit log, newest first (4.6). Throws `invalid` on a cursor of another list. */
export async function listControlActions(
  ctx: EngineContext,
  { projectId, action, runId, actor, since, until, after, limit }: ControlActionQuery,
): Promise<Page<ControlActionRow>> {
  const where = new Conditions();
  where.add(`project_id = ${where.parameter(projectId)}::uuid`);
  where.equal('action', action);
  where.equal('actor', actor);
  if (since) where.add(`created_at >= ${where.parameter(since)}::timestamptz`);
  if (until) where.add(`created_at < ${where.parameter(until)}::timestamptz`);
  if (runId !== null && runId !== undefined) about(where, runId);
  if (after !== undefined) where.add(`id < ${where.parameter(readCursor(after))}::uuid`);
  const rows = where.impossible ? [] : await fetchRows(ctx, where, limit + 1);
  return toPage(rows, limit, (row) => encodeCursor(order, [row.id]));
}

/** Each side of the `or` has its own index. An id that is no UUID matches no entry. */
function about(where: Conditions, runId: string): void {
  if (!isId(runId)) {
    where.excludeAll();
    return;
  }
  const id = `${where.parameter(runId)}::uuid`;
  where.add(`(run_id = ${id} or new_run_id = ${id})`);
}

/** Ids grow with time, so they give the order. A plan for all values may read all projects. */
function fetchRows(ctx: EngineContext, where: Conditions, wanted: number): Promise<ControlActionRow[]> {
  const text = `select id, action, run_id, new_run_id, actor, detail, created_at
    from control_action where ${where.text} order by id desc limit ${where.parameter(wanted)}`;
  return plannedRead<ControlActionRow>(ctx, { text, values: where.values });
}

const readCursor = (cursor: string): string => decodeCursor(order, cursor, [cursorParts.id])[0];
