import type { EngineContext } from '../context.ts';
import { lockRuns, type StepSettlement, settleWithin } from '../work/index.ts';
import { decisionMemo } from './decisionMemo.ts';
import { type ExpiredRow, expireDueApprovals } from './sql/expireDueApprovals.ts';
import { listDueApprovals } from './sql/listDueApprovals.ts';

/** The maximum number of runs that one transaction locks. */
const pageSize = 200;
const decidedBy = 'system:timeout';

/**
 * Applies due deadlines (3.2), one page at most. Returns their number; call again until it returns
 * 0. If a decision arrives at the same time, only the first of the two takes effect. A deadline
 * also applies to a paused run, which continues after it is resumed.
 */
export async function expireApprovals(ctx: EngineContext): Promise<number> {
  const now = ctx.clock.sql();
  const due = await listDueApprovals(ctx.db, { limit: pageSize, now });
  if (due.length === 0) return 0;
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: due.map((each) => each.runId) });
    const expired = await expireDueApprovals(tx, { ids: due.map((each) => each.id), decidedBy, now });
    await settleWithin(
      ctx,
      tx,
      expired.flatMap((each) => settlementOf(each) ?? []),
    );
    tx.afterCommit(() => {
      for (const { projectId, id: approvalId } of expired) ctx.bus.emit('approval.changed', { projectId, approvalId });
    });
    return expired.length;
  });
}

/** The step's result at its deadline. An escalated approval keeps waiting. */
function settlementOf(row: ExpiredRow): StepSettlement | undefined {
  const { status, runId, stepIndex, step, args, decidedAt } = row;
  const common = { runId, stepIndex, output: undefined, error: undefined, retryInMs: undefined, isDecision: true };
  if (status === 'escalated') return undefined;
  if (status === 'cancelled' || decidedAt === null) {
    const message = `approval ${JSON.stringify(step)} was not decided in time`;
    return { ...common, status: 'failed', error: JSON.stringify({ name: 'ApprovalTimeoutError', message }) };
  }
  const decided = { status, args, editedArgs: undefined, decidedBy, decidedVia: 'timeout', decidedAt };
  return { ...common, status: 'succeeded', output: decisionMemo(decided) };
}
