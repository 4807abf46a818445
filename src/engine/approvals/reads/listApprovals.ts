import type { EngineContext } from '../../context.ts';
import { isId } from '../../ids.ts';
import { plannedRead } from '../../longRead.ts';
import { Conditions, cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../paging/index.ts';
import { type ApprovalStatus, isOpen } from '../approval.ts';
import { type ApprovalRow, approvalColumns } from './approvalRow.ts';

export interface ApprovalListQuery {
  projectId: string;
  status?: ApprovalStatus | null | undefined;
  runId?: string | null | undefined;
  /** Whether it is `pending` or `escalated`. */
  isOpen?: boolean | null | undefined;
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  risk?: string | null | undefined;
  /** A cursor from this list. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

const order = 'approvals.newest';

/** A page of a project's approvals, newest first (4.7). Throws `invalid` on a foreign cursor. */
export async function listApprovals(ctx: EngineContext, query: ApprovalListQuery): Promise<Page<ApprovalRow>> {
  const where = new Conditions();
  where.add(`a.project_id = ${where.parameter(query.projectId)}::uuid`);
  addStatus(where, query.status);
  addRun(where, query.runId);
  addOpen(where, query.isOpen);
  where.equal('r.app', query.app);
  where.equal('r.workflow', query.workflow);
  where.equal('a.risk', query.risk);
  if (query.after !== undefined) where.add(`a.id < ${where.parameter(readCursor(query.after))}::uuid`);
  const rows = where.impossible ? [] : await fetchRows(ctx, where, query.limit + 1);
  return toPage(rows, query.limit, (row) => encodeCursor(order, [row.id]));
}

/** Open approvals are few, so an extra condition lets the query use `approval_open_idx`. */
function addStatus(where: Conditions, status: ApprovalListQuery['status']): void {
  where.equal('a.status', status);
  if (status && isOpen(status)) addOpen(where, true);
}

function addOpen(where: Conditions, open: boolean | null | undefined): void {
  if (open === null || open === undefined) return;
  where.add(`${open ? '' : 'not '}a.status in ('pending', 'escalated')`);
}

/** A text that is no UUID matches no run. */
function addRun(where: Conditions, runId: string | null | undefined): void {
  if (runId === null || runId === undefined) return;
  if (isId(runId)) where.add(`a.run_id = ${where.parameter(runId)}::uuid`);
  else where.excludeAll();
}

/** Ids grow with time, so they order the list. A plan for all values may read all projects. */
function fetchRows(ctx: EngineContext, where: Conditions, wanted: number): Promise<ApprovalRow[]> {
  const text = `select ${approvalColumns} from approval a join run r on r.id = a.run_id
    where ${where.text} order by a.id desc limit ${where.parameter(wanted)}`;
  return plannedRead<ApprovalRow>(ctx, { text, values: where.values });
}

const readCursor = (cursor: string): string => decodeCursor(order, cursor, [cursorParts.id])[0];
