import { recoverConsequences } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { recoverLooks, recoverPending } from '../events/index.ts';
import { hasLeftovers } from './sql/hasLeftovers.ts';

/**
 * Finishes the work of processes that died: wakes waiters of events, searches the event log for
 * waits that look back, and draws consequences of ended runs. Returns the number of all. If one
 * part fails, the others still run, and the error is thrown afterwards. An idle service runs one
 * query.
 */
export async function recoverLeftovers(ctx: EngineContext): Promise<number> {
  const [row] = await hasLeftovers(ctx.db, undefined);
  if (!row?.hasAny) return 0;
  const looks = await Promise.allSettled([recoverPending(ctx), recoverLooks(ctx), recoverConsequences(ctx)]);
  const errors = looks.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length > 1) throw new AggregateError(errors, 'several recoveries failed');
  if (errors.length > 0) throw errors[0];
  return looks.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 0);
}
