import { refuseOwnRun } from '../agents/index.ts';
import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import type { RawJson } from '../json/index.ts';
import type { Principal } from '../keys/index.ts';
import { boundedText } from '../runs/index.ts';
import { lockRuns, settleWithin } from '../work/index.ts';
import { type ApprovalDecision, type DecidedVia, isOpen } from './approval.ts';
import { decisionMemo } from './decisionMemo.ts';
import { findApproval } from './sql/findApproval.ts';
import { type DecidedRow, recordDecision } from './sql/recordDecision.ts';

export interface DecisionCall {
  projectId: string;
  approvalId: string;
  status: ApprovalDecision;
  /** Replaces the proposed arguments. A denial ignores it. */
  args: RawJson | undefined;
  /** Why: for the handler, and for those who look at it later. */
  reason?: string | undefined;
  decider: Decider;
  /** The name of the caller's key, for the audit log. */
  actor: string;
}

/** The longest reason of a decision, in characters. */
export const maxReason = 2000;

/**
 * Decides an open approval and wakes its run, in one transaction (4.7). If several decisions
 * arrive, exactly one wins. A paused run continues after it is resumed. Throws `notFound`,
 * `conflict` if the approval is no longer open, `forbidden` for an agent that started the run, and
 * `invalid` for a reason that cannot be stored.
 */
export async function decideApproval(ctx: EngineContext, call: DecisionCall): Promise<void> {
  const { projectId, approvalId, status, actor } = call;
  const reason = boundedText('reason', call.reason, maxReason);
  if (!isId(approvalId)) throw notFound('approval not found');
  const [found] = await findApproval(ctx.db, { projectId, id: approvalId });
  if (!found) throw notFound('approval not found');
  if (!isOpen(found.status)) throw conflict('approvalNotOpen');
  await refuseOwnRun(ctx.db, ctx.origin, found.runId);
  const isEdited = status === 'approved' && call.args !== undefined;
  const approval = await decideUnderLock(ctx, found.runId, { ...call, reason });
  await recordControl(ctx, {
    projectId,
    action: status === 'approved' ? 'approve' : 'deny',
    runId: approval.runId,
    actor,
    detail: { approvalId, step: approval.step, ...(isEdited && { editedArgs: true }), ...(reason && { reason }) },
  });
}

/**
 * Locks the run first, as every change of a run does. The first transaction that finds the approval
 * open wins.
 */
function decideUnderLock(
  ctx: EngineContext,
  runId: string,
  { projectId, approvalId, status, args, reason, decider }: DecisionCall,
): Promise<DecidedRow> {
  const editedArgs = status === 'approved' ? args?.text : undefined;
  const now = ctx.clock.sql();
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [runId] });
    const [approval] = await recordDecision(tx, { id: approvalId, status, editedArgs, reason, ...decider, now });
    if (!approval) throw conflict('approvalNotOpen');
    const { args: proposed, decidedAt } = approval;
    const memo = decisionMemo({ status, args: proposed, editedArgs, ...decider, decidedAt, reason });
    const settlement = { runId, stepIndex: approval.stepIndex, status: 'succeeded', output: memo } as const;
    const settled = await settleWithin(ctx, tx, [
      { ...settlement, error: undefined, retryInMs: undefined, isDecision: true },
    ]);
    if (settled.length === 0) throw conflict('runNotAwaiting');
    tx.afterCommit(() => ctx.bus.emit('approval.changed', { projectId, approvalId }));
    return approval;
  });
}

/** The decider, as recorded in the approval. */
export interface Decider {
  decidedBy: string;
  decidedVia: Extract<DecidedVia, 'console' | 'mcp' | 'api'>;
}

/**
 * The decider and the channel, from the authentication of the call (4.7, 5). The decider is the
 * person that a platform key names, or else the key. A request body cannot change them.
 */
export function deciderOf(principal: Principal, surface: 'rest' | 'graphql' | 'mcp'): Decider {
  const person = principal.kind === 'platform' ? principal.actor : undefined;
  const decidedBy = person ?? principal.keyName;
  if (surface === 'mcp') return { decidedBy, decidedVia: 'mcp' };
  return { decidedBy, decidedVia: person === undefined ? 'api' : 'console' };
}
