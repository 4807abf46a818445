import { z } from 'zod';
import {
  type AdmissionTransaction,
  type Ask,
  type Candidate,
  claimKeys,
  type DedupeKey,
  durationMs,
  type KeyClaim,
  key,
  type MovedKey,
  moveKeys,
  type Policy,
  type Scoped,
  type WorkflowRef,
} from '../../index.ts';
import { findExisting } from './sql/findExisting.ts';
import { findRepeats, type HeldCall } from './sql/findRepeats.ts';
import { releaseKeys } from './sql/releaseKeys.ts';

const defaultPeriodMs = 86_400_000;

type Asked = Ask<'idempotency'>;

/** The first start with a value claims its key. A later one within `periodMs` is `deduped`. */
async function dedupe({ ctx, tx }: AdmissionTransaction, asks: readonly Asked[]): Promise<void> {
  const rows = await claimKeys(tx, { claims: asks.map(claimOf), now: ctx.clock.sql() });
  const held = rows.flatMap(({ ord, isClaimed, refId: holder }) => {
    const ask = isClaimed ? undefined : asks[ord];
    return ask ? [{ ask, holder }] : [];
  });
  if (held.length === 0) return;
  const repeats = await repeatsAmong(
    tx,
    held.map(({ ask }) => ask),
  );
  const existing = await findExisting(tx, { runIds: held.map(({ holder }) => holder) });
  for (const {
    ask: { candidate },
    holder,
  } of held) {
    if (repeats.has(candidate)) continue;
    candidate.withheld = 'deduped';
    if (existing.some(({ id }) => id === holder)) candidate.existingRunId = holder;
  }
}

/**
 * The starts that repeat the holder of their key: retries of the calling step, and the same step in
 * a fork.
 */
async function repeatsAmong(tx: AdmissionTransaction['tx'], held: readonly Asked[]): Promise<ReadonlySet<Candidate>> {
  const calls = held.flatMap((ask) => {
    const call = callOf(ask);
    return call ? [{ candidate: ask.candidate, call }] : [];
  });
  if (calls.length === 0) return new Set();
  const rows = await findRepeats(tx, { calls: calls.map((each) => each.call) });
  return new Set(rows.flatMap(({ ord }) => calls[ord]?.candidate ?? []));
}

function callOf({ candidate: { run }, policy }: Asked): HeldCall | undefined {
  const { projectId, parent } = run;
  return parent && { projectId, ...dedupeKey({ ...run, policy }), parentRunId: parent.runId, parentStep: parent.step };
}

/**
 * Releases the claim of a withheld start, so that the next start may claim the key. The claim of a
 * buffered start refers to the run of its buffer.
 */
async function giveBack({ tx }: AdmissionTransaction, asks: readonly Asked[]): Promise<void> {
  const vain = asks.filter(({ candidate: { withheld } }) => withheld === 'skipped' || withheld === 'dropped');
  if (vain.length > 0) await releaseKeys(tx, { keys: vain.map(claimOf) });
  const moved = asks.flatMap((ask): MovedKey[] => {
    const { bufferId } = ask.candidate;
    return bufferId === undefined ? [] : [{ ...claimOf(ask), runId: bufferId }];
  });
  if (moved.length > 0) await moveKeys(tx, { keys: moved });
}

/** The unique name of the key within the project. */
const dedupeKey = ({ app, workflow, policy }: WorkflowRef & { policy: Scoped<object> }): DedupeKey => ({
  scope: `idempotency:${JSON.stringify([app, workflow])}`,
  key: policy.scope,
});

function claimOf({ candidate: { run }, policy }: Asked): KeyClaim {
  const { projectId, runId: refId } = run;
  return { projectId, refId, ...dedupeKey({ ...run, policy }), windowMs: policy.periodMs ?? defaultPeriodMs };
}

/**
 * 2.2 `idempotency`: one start per value within `periodMs`. The claim refers to the future run, and
 * remains valid after it. A retried call passes without a claim, because the first call holds one.
 */
export const idempotency = {
  settings: z.strictObject({ key, periodMs: durationMs.nullish() }).meta({ title: 'FlowIdempotency' }),
  origins: ['start', 'call'],
  gates: { dedupe, giveBack },
  contested: (start, at) => (at === 'door' ? dedupeKey(start) : undefined),
} satisfies Policy<'idempotency'>;
