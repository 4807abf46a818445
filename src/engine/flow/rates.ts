import type { EngineContext } from '../context.ts';
import type { PolicyName, PolicySettings, RecordingTransaction, Scoped, StartCandidate } from './gate.ts';
import { advanceRates, type RateRow } from './sql/advanceRates.ts';
import { deletePassedRates } from './sql/deletePassedRates.ts';

export interface RateAsk {
  candidate: Pick<StartCandidate, 'run'>;
  policy: Scoped<PolicySettings<'throttle' | 'rateLimit'>>;
}

/** The starts of one scope in order of arrival, and their turns. */
interface RateTurn<Asking> {
  asks: Asking[];
  row: RateRow;
}

interface Turns {
  policy: PolicyName;
  /** Whether starts beyond a burst of `limit` are dropped. Otherwise each start gets a turn. */
  sheds: boolean;
}

/** Advances the rate of each scope by its starts, all scopes in one statement. */
export async function takeTurns<Asking extends RateAsk>(
  { ctx, tx }: RecordingTransaction,
  asks: readonly Asking[],
  { policy, sheds }: Turns,
): Promise<RateTurn<Asking>[]> {
  const scopes = byScope(asks);
  const requests = scopes.flatMap(([first, ...others]) => {
    if (!first) return [];
    const { projectId, app, workflow } = first.candidate.run;
    const { scope, limit, perMs } = first.policy;
    const burst = sheds ? limit : undefined;
    return [{ projectId, policy, app, workflow, scope, wanted: others.length + 1, limit, perMs, burst }];
  });
  const rows = await advanceRates(tx, { requests, now: ctx.clock.sql() });
  return rows.flatMap((row) => {
    const turn = scopes[row.ord];
    return turn ? [{ asks: turn, row }] : [];
  });
}

function byScope<Asking extends RateAsk>(asks: readonly Asking[]): Asking[][] {
  const scopes = new Map<string, Asking[]>();
  for (const ask of asks) {
    const key = scopeOf(ask);
    const scope = scopes.get(key);
    if (scope) scope.push(ask);
    else scopes.set(key, [ask]);
  }
  return [...scopes.values()];
}

const scopeOf = ({ candidate: { run }, policy }: RateAsk): string =>
  JSON.stringify([run.projectId, run.app, run.workflow, policy.scope]);

const pageSize = 2_000;

/**
 * Deletes rates that no longer delay or drop a start. The next start then counts as the first of
 * its scope. A page per call; `full`: there may be more.
 */
export async function forgetRates(ctx: EngineContext, limit = pageSize): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deletePassedRates(ctx.db, { limit, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
