import { agree } from '../kit/agree.ts';
import type { Node } from '../program/program.ts';
import type { ApprovalRecord } from './runRecord.ts';
import type { Case } from './verdict.ts';

const byTimeout: Record<string, string> = { approve: 'approved', reject: 'denied', fail: 'cancelled' };

/**
 * Exactly one decision wins, the deadline included. The step's memo, the record and the winner
 * agree (I13).
 */
export function judgeApproval({ scene, run }: Case, approval: ApprovalRecord, node: Node | undefined): void {
  const what = `approval ${approval.id} of ${approval.step}, run ${run.id}`;
  const { ledger, coverage } = scene;
  coverage.count('approval', `${approval.status}${approval.decided_by === 'system:timeout' ? ' by timeout' : ''}`);
  const winners = ledger.decided.get(approval.id) ?? [];
  agree(`${what}: winners`, winners.length <= 1, true);
  const { status, decided_by: decidedBy } = approval;
  const [winner] = winners;
  if (winner) agree(what, { status, decidedBy }, winner);
  if (decidedBy === 'system:timeout') {
    agree(
      `${what}: decided by its deadline`,
      { status, overdue: approval.was_overdue },
      {
        status: byTimeout[approval.on_timeout],
        overdue: true,
      },
    );
  }
  if (node?.kind === 'approval') agree(`${what}: deadline`, approval.has_deadline, node.timeoutMs !== undefined);
  const row = run.rows?.find((each) => each.op === 'Approval' && each.name === approval.step);
  agree(
    `${what}: its step`,
    row && { status: row.status, memo: memoOf(row.output) },
    expectedStep(approval, row?.status),
  );
}

const memoOf = (output: unknown): unknown =>
  typeof output === 'object' && output !== null && 'status' in output ? output.status : undefined;

/**
 * An approval is cancelled by its deadline, which fails the step, or by the end of its run, which
 * cancels the step.
 */
function expectedStep({ status, on_timeout }: ApprovalRecord, step: string | undefined) {
  if (status === 'approved' || status === 'denied') return { status: 'succeeded', memo: status };
  if (status !== 'cancelled') return { status: 'nothing that is over', memo: undefined };
  return { status: step === 'failed' && on_timeout === 'fail' ? 'failed' : 'cancelled', memo: undefined };
}
