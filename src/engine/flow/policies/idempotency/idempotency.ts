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
  type Policy,
  type Scoped,
  type WorkflowRef,
} from '../../index.ts';
import { findExisting } from './sql/findExisting.ts';
import { findRepeats, type HeldCall } from './sql/findRepeats.ts';
import { releaseKeys } from './sql/releaseKeys.ts';

const defaultPeriodMs = 86_400_000;

type Asked = Ask<'idempotency'>;

/** The first start of a value claims its key. A later one within `periodMs` is `deduped`. */
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
 * The next attempts of calling steps, and the steps of forks: the key stands for their own start.
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

/** Releases the claim of a start that came to no run, so that the next start may claim the key. */
async function giveBack({ tx }: AdmissionTransaction, asks: readonly Asked[]): Promise<void> {
  const vain = asks.filter(({ candidate: { withheld } }) => withheld === 'skipped' || withheld === 'dropped');
  if (vain.length > 0) await releaseKeys(tx, { keys: vain.map(claimOf) });
}

/** The name of the key among all keys of the project. */
const dedupeKey = ({ app, workflow, policy }: WorkflowRef & { policy: Scoped<object> }): DedupeKey => ({
  scope: `idempotency:${JSON.stringify([app, workflow])}`,
  key: policy.scope,
});

function claimOf({ candidate: { run }, policy }: Asked): KeyClaim {
  const { projectId, runId: refId } = run;
  return { projectId, refId, ...dedupeKey({ ...run, policy }), windowMs: policy.periodMs ?? defaultPeriodMs };
}

/**
 * 2.2 `idempotency`: one start for each value within `periodMs`. The claim belongs to the run that
 * will be created, and stays with it. A call that is repeated passes by the claim of the first
 * call, and claims nothing itself.
 */
export const idempotency = {
  settings: z.strictObject({ key, periodMs: durationMs.nullish() }).meta({ title: 'FlowIdempotency' }),
  origins: ['start', 'call'],
  gates: { dedupe, giveBack },
  contested: (start, at) => (at === 'door' ? dedupeKey(start) : undefined),
} satisfies Policy<'idempotency'>;
