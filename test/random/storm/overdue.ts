import type { Pass } from '../../../src/engine/passes/index.ts';
import { agree } from '../kit/agree.ts';
import type { Scene } from './process.ts';

/**
 * Before each invoke, no sleep or wait is overdue that was due when the memo was read. Holds while
 * the run is leased under this claim. Otherwise a branch that is always busy would keep it overdue
 * for ever (I8).
 */
export async function agreeThatTimesAreKept({ db }: Scene, passes: readonly Pass[]): Promise<void> {
  const late = passes.filter(({ memo, dbNow }) => memo.isOverdue(dbNow));
  for (const { runId, dispatcherId, claimNo } of late) {
    const { rows } = await db.query({
      name: 'stillLeased',
      text: 'select run_id from run_work where run_id = $1 and lease_id = $2 and claim_no = $3',
      values: [runId, dispatcherId, claimNo],
    });
    agree('runs that are invoked although a time of theirs is over', rows, []);
  }
}
