import { recoverConsequences } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { recoverPending } from '../events/index.ts';
import { hasLeftovers } from './sql/hasLeftovers.ts';

/**
 * Finishes what processes that died left half done: events whose waiters sleep on, runs whose end
 * changed nothing. Answers how many it took up. Where one of the two looks fails, the other has its
 * turn, and the error is thrown after it. An idle service asks one question.
 */
export async function recoverLeftovers(ctx: EngineContext): Promise<number> {
  const [row] = await hasLeftovers(ctx.db, undefined);
  if (!row?.hasAny) return 0;
  const looks = await Promise.allSettled([recoverPending(ctx), recoverConsequences(ctx)]);
  const errors = looks.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length > 1) throw new AggregateError(errors, 'both looks for what others left failed');
  if (errors.length > 0) throw errors[0];
  return looks.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 0);
}
