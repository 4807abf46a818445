import type { EngineContext } from '../context.ts';
import { readMemos } from './loadMemo.ts';
import { Memo } from './memo.ts';
import type { Pass } from './pass.ts';
import { endOverdue } from './sql/endOverdue.ts';

/**
 * Ends what has come due of runs that this dispatcher executes: sleeps, and waits whose time is
 * over (4.10). Called at their step boundaries, because the scheduler wakes parked runs only, and a
 * branch that has work at once never lets its run park.
 */
export async function endOverdueSteps(ctx: EngineContext, passes: readonly Pass[]): Promise<void> {
  const overdue = passes.filter(({ memo, dbNow }) => memo.isOverdue(dbNow));
  const [first] = overdue;
  if (!first) return;
  const { dispatcherId } = first;
  await endOverdue(ctx.db, { dispatcherId, runs: overdue, now: ctx.clock.sql() });
  const memos = await readMemos(
    ctx.db,
    overdue.map(({ runId }) => runId),
  );
  for (const pass of overdue) pass.memo = memos.get(pass.runId) ?? new Memo();
  ctx.bus.emit('run.moved', { runs: overdue });
}
