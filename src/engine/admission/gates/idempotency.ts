import { asking, type Candidate, type Gate } from '../candidate.ts';
import { claimKeys, type KeyClaim } from '../sql/claimKeys.ts';
import { releaseKeys } from '../sql/releaseKeys.ts';

/**
 * 2.2 `idempotency`: the first of a value starts a run, or is buffered for one; whoever comes within `periodMs` after it is
 * `deduped`. The claim belongs to the run that is about to be.
 */
export const idempotency: Gate = async ({ ctx, tx }, candidates) => {
  const asks = asking(candidates, 'idempotency');
  if (asks.length === 0) return;
  const claims = asks.map(({ candidate }) => claimOf(candidate));
  const rows = await claimKeys(tx, { claims, now: ctx.clock.sql() });
  for (const row of rows) {
    const ask = asks[row.ord];
    if (ask && !row.is_claimed) ask.candidate.withheld = 'deduped';
  }
};

/** The last word: a claim of which nothing came is given up, so that the next with this value may start. */
export const giveUpClaims: Gate = async ({ tx }, candidates) => {
  const vain = candidates.filter(
    ({ gates, withheld }) => gates.idempotency && (withheld === 'skipped' || withheld === 'dropped'),
  );
  if (vain.length > 0) await releaseKeys(tx, { keys: vain.map(claimOf) });
};

/** The name of the key among all keys of the project. */
export const idempotencyKey = ({ run, gates: { idempotency: policy } }: Pick<Candidate, 'run' | 'gates'>) => ({
  scope: `idempotency:${JSON.stringify([run.app, run.workflow])}`,
  key: policy?.scope ?? '',
});

function claimOf(candidate: Candidate): KeyClaim {
  const { run, gates } = candidate;
  const { projectId, runId: refId } = run;
  return { projectId, refId, ...idempotencyKey(candidate), windowMs: gates.idempotency?.periodMs ?? 0 };
}
