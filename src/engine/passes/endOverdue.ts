import type { EngineContext } from '../context.ts';
import { readMemos } from './loadMemo.ts';
import { Memo } from './memo.ts';
import type { Pass } from './pass.ts';
import { endOverdue } from './sql/endOverdue.ts';

/**
 * Ends due sleeps and waits of the runs that this dispatcher executes (4.10), at their step
 * boundaries. The scheduler wakes parked runs only, and a run with a branch that always continues
 * never parks.
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
