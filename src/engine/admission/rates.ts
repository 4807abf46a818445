import { advanceRates, type Rate, type RateRow, type Scoped } from '../flow/index.ts';
import type { Scene, StartCandidate } from './candidate.ts';

export interface RateAsk {
  candidate: StartCandidate;
  policy: Scoped<Rate>;
}

/** Those of one scope, in the order in which they came, and what became of them. */
export interface RateTurn {
  asks: RateAsk[];
  row: RateRow;
}

interface Turns {
  policy: 'rateLimit' | 'throttle';
  /** Whether a burst of `limit` may pass and the rest is turned away; else each gets its turn. */
  sheds: boolean;
}

/** Takes each scope's rate on by those that ask, all scopes in one statement. */
export async function takeTurns(
  { ctx, tx }: Scene,
  asks: readonly RateAsk[],
  { policy, sheds }: Turns,
): Promise<RateTurn[]> {
  if (asks.length === 0) return [];
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

function byScope(asks: readonly RateAsk[]): RateAsk[][] {
  const scopes = new Map<string, RateAsk[]>();
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
