import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { plannedRead } from '../../longRead.ts';
import {
  Conditions,
  cursorParts,
  decodeCursor,
  encodeCursor,
  optionalPart,
  type Page,
  toPage,
} from '../../paging/index.ts';
import { type ApprovalStatus, isOpen } from '../approval.ts';
import { type ApprovalRow, approvalColumns } from './approvalRow.ts';

export const approvalSorts = ['newest', 'deadline'] as const;

/** How a list is sorted: its columns, and the cursor of a row. */
interface Order {
  columns: string;
  cursorOf(row: ApprovalRow): string;
  /** Adds the condition of rows after a cursor. */
  addAfter(where: Conditions, cursor: string): void;
}

export interface ApprovalListQuery {
  projectId: string;
  /** `deadline` lists open approvals only. Default: `newest`. */
  sort?: (typeof approvalSorts)[number] | null | undefined;
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

const newest: Order = {
  columns: 'a.id desc',
  cursorOf: ({ id }) => encodeCursor('approvals.newest', [id]),
  addAfter(where, cursor) {
    const [id] = decodeCursor('approvals.newest', cursor, [cursorParts.id]);
    where.add(`a.id < ${where.parameter(id)}::uuid`);
  },
};

/** SQL: approvals without a deadline come last. */
const deadlineSql = "coalesce(a.expires_at, 'infinity')";

/** The next deadline first. Rides `approval_open_deadline_idx`. */
const byDeadline: Order = {
  columns: `${deadlineSql}, a.id`,
  cursorOf: ({ id, expiresAt }) =>
    encodeCursor('approvals.deadline', expiresAt === null ? [id] : [id, expiresAt.getTime()]),
  addAfter(where, cursor) {
    const shape = [cursorParts.id, optionalPart(cursorParts.instant)] as const;
    const [id, at] = decodeCursor('approvals.deadline', cursor, shape);
    const deadline = at === undefined ? 'infinity' : new Date(at).toISOString();
    where.add(`(${deadlineSql}, a.id) > (${where.parameter(deadline)}::timestamptz, ${where.parameter(id)}::uuid)`);
  },
};

/**
 * A page of a project's approvals, newest first unless sorted by deadline (4.7). Throws `invalid`
 * on a foreign cursor, and for deadlines of decided approvals.
 */
export async function listApprovals(ctx: EngineContext, query: ApprovalListQuery): Promise<Page<ApprovalRow>> {
  const where = new Conditions();
  const order = query.sort === 'deadline' ? byDeadline : newest;
  if (order === byDeadline && query.isOpen === false) throw invalid('only open approvals are sorted by deadline');
  where.add(`a.project_id = ${where.parameter(query.projectId)}::uuid`);
  addStatus(where, query.status);
  addRun(where, query.runId);
  addOpen(where, order === byDeadline ? true : query.isOpen);
  where.equal('r.app', query.app);
  where.equal('r.workflow', query.workflow);
  where.equal('a.risk', query.risk);
  if (query.after !== undefined) order.addAfter(where, query.after);
  const rows = where.impossible ? [] : await fetchRows(ctx, where, order, query.limit + 1);
  return toPage(rows, query.limit, order.cursorOf);
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

/** A plan for all values may read all projects. */
function fetchRows(ctx: EngineContext, where: Conditions, order: Order, wanted: number): Promise<ApprovalRow[]> {
  const text = `select ${approvalColumns} from approval a join run r on r.id = a.run_id
    where ${where.text} order by ${order.columns} limit ${where.parameter(wanted)}`;
  return plannedRead<ApprovalRow>(ctx, { text, values: where.values });
}
