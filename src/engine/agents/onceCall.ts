import type { EngineContext } from '../context.ts';
import type { Queryable, Transaction } from '../db/index.ts';
import { newId } from '../ids.ts';
import { RawJson } from '../json/index.ts';
import type { Once } from '../origin.ts';
import { claimCall } from './sql/claimCall.ts';
import { findCall } from './sql/findCall.ts';
import { recordCall } from './sql/recordCall.ts';

/*
 * Owns: the rows of calls that act once (`agent_call`).
 * Does not own: the acts.
 *
 * Invariants:
 * O1. A write of one transaction holds its claim in that transaction. Both are there, or neither: a
 *     refused act spends nothing, and a process that dies leaves no claim without an act.
 * O2. A write of several transactions claims before the first one. A process that dies between them
 *     leaves a claim without an outcome, and the call never acts again.
 * O3. A call that comes while the first is under way waits for the end of its transaction.
 */

/** How long a claim holds, in ms. */
export const callWindowMs = 24 * 3_600_000;

/** A call that acts once. */
export interface CallName {
  projectId: string;
  /** The id of the key, or `operator`. */
  key: string;
  callId: string;
  /** Identifies the tool and its arguments. */
  digest: Buffer;
}

/** The outcome of the first call. */
export type Done = Readonly<Record<string, unknown>>;

/** The claim of an earlier call. */
export interface Taken {
  isSame: boolean;
  /** Undefined while the first call is under way, or if its process died. */
  done: Done | undefined;
}

/** Another call holds the claim. */
export class CallTakenError extends Error {
  override readonly name = 'CallTakenError';
  readonly taken: Taken;

  constructor(taken: Taken) {
    super('another call holds the claim');
    this.taken = taken;
  }
}

/** O1: a claim in the first transaction of an operation. */
export class OnceCall implements Once {
  readonly #ctx: EngineContext;
  readonly #call: CallName;
  #isClaimed = false;
  #done: Done = {};

  constructor(ctx: EngineContext, call: CallName) {
    this.#ctx = ctx;
    this.#call = call;
  }

  async within<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#isClaimed) return work(tx);
    const claim = await claimWithin(this.#ctx, tx, this.#call);
    // A retry after a deadlock begins anew.
    this.#done = {};
    const result = await work(tx);
    await record(tx, this.#call, claim, this.#done);
    tx.afterCommit(() => {
      this.#isClaimed = true;
    });
    return result;
  }

  note(done: Done): void {
    this.#done = done;
  }
}

/** O2: claims a call at once. Returns a function that records the outcome. */
export async function claimBefore(ctx: EngineContext, call: CallName): Promise<(done: Done) => Promise<void>> {
  const claim = await claimWithin(ctx, ctx.db, call);
  return (done) => record(ctx.db, call, claim, done);
}

async function claimWithin(ctx: EngineContext, db: Queryable, call: CallName): Promise<string> {
  const claim = newId();
  const [row] = await claimCall(db, { ...call, claim, windowMs: callWindowMs, now: ctx.clock.sql() });
  if (!row) throw new Error('a claim has no row');
  if (!row.isClaimed) throw new CallTakenError(takenOf(row, call));
  return claim;
}

async function record(db: Queryable, { projectId, key, callId }: CallName, claim: string, done: Done): Promise<void> {
  await recordCall(db, { projectId, key, callId, claim, done: RawJson.of(done).text });
}

/** The claim of a call; undefined if none holds it. */
export async function findTaken(ctx: EngineContext, call: CallName): Promise<Taken | undefined> {
  const { projectId, key, callId } = call;
  const [row] = await findCall(ctx.db, { projectId, key, callId, now: ctx.clock.sql() });
  return row && takenOf(row, call);
}

const takenOf = ({ digest, done }: { digest: Buffer; done: string | null }, call: CallName): Taken => ({
  isSame: call.digest.equals(digest),
  done: done === null ? undefined : JSON.parse(done),
});
