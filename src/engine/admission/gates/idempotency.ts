import { asking, type Candidate, type Gate, type Scene } from '../candidate.ts';
import { claimKeys, type KeyClaim } from '../sql/claimKeys.ts';
import { findExisting } from '../sql/findExisting.ts';
import { findRepeats, type HeldCall } from '../sql/findRepeats.ts';
import { releaseKeys } from '../sql/releaseKeys.ts';

/**
 * 2.2 `idempotency`: the first of a value starts a run, or is buffered for one; whoever comes
 * within `periodMs` after it is `deduped`. The claim belongs to the run that is about to be, and
 * stays with it: a call that is made over passes by the claim of the call that it repeats, and
 * takes nothing of its own.
 */
export const idempotency: Gate = async ({ ctx, tx }, candidates) => {
  const asks = asking(candidates, 'idempotency');
  if (asks.length === 0) return;
  const claims = asks.map(({ candidate }) => claimOf(candidate));
  const rows = await claimKeys(tx, { claims, now: ctx.clock.sql() });
  const held = rows.flatMap(({ ord, isClaimed, refId: holder }) => {
    const candidate = isClaimed ? undefined : asks[ord]?.candidate;
    return candidate ? [{ candidate, holder }] : [];
  });
  if (held.length === 0) return;
  const repeats = await repeatsAmong(
    tx,
    held.map(({ candidate }) => candidate),
  );
  const existing = await findExisting(tx, { runIds: held.map(({ holder }) => holder) });
  for (const { candidate, holder } of held) {
    if (repeats.has(candidate)) continue;
    candidate.withheld = 'deduped';
    if (existing.some(({ id }) => id === holder)) candidate.existingRunId = holder;
  }
};

/**
 * The next attempt of a step that called, and the step of a fork: the start that the key stands for
 * is theirs.
 */
async function repeatsAmong(tx: Scene['tx'], held: readonly Candidate[]): Promise<ReadonlySet<Candidate>> {
  const calls = held.flatMap((candidate) => {
    const call = callOf(candidate);
    return call ? [{ candidate, call }] : [];
  });
  if (calls.length === 0) return new Set();
  const rows = await findRepeats(tx, { calls: calls.map((each) => each.call) });
  return new Set(rows.flatMap(({ ord }) => calls[ord]?.candidate ?? []));
}

function callOf(candidate: Candidate): HeldCall | undefined {
  const { projectId, parent } = candidate.run;
  return parent && { projectId, ...idempotencyKey(candidate), parentRunId: parent.runId, parentStep: parent.step };
}

/**
 * The last word: a claim of which nothing came is given up, so that the next with this value may
 * start.
 */
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
