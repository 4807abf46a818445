import type { EngineContext } from '../context.ts';
import { drawConsequencesSoon } from './drawConsequences.ts';
import { endRuns } from './endRuns.ts';
import { expiredStarts } from './sql/expiredStarts.ts';

const pageSize = 500;

/**
 * Drops starts whose runs have not begun within their time to live (`ttl`), in whatever state they
 * wait, a page at most. A claim that comes first keeps its run. Answers how many were dropped.
 */
export async function dropExpiredStarts(ctx: EngineContext): Promise<number> {
  const expired = await expiredStarts(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  if (expired.length === 0) return 0;
  const ends = expired.map(({ runId, ttlMs }) => ({ runId, error: JSON.stringify(expiryOf(ttlMs)) }));
  const reason = 'the run did not begin within its ttl';
  const rows = await endRuns(ctx, {
    ...{ status: 'cancelled', ends, reason },
    ...{ projectId: null, onlyStranded: false, onlyExpired: true },
  });
  drawConsequencesSoon(
    ctx,
    rows.map((row) => row.runId),
  );
  return rows.length;
}

const expiryOf = (ttlMs: number): { name: string; message: string } => ({
  name: 'StartExpiredError',
  message: `the run did not begin within its ttl of ${ttlMs} ms`,
});
