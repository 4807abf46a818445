import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { beatTimes, type Vigil } from '../../vigil.ts';
import { recordLostSends } from '../ledger/recordLostSends.ts';
import { beatProcess } from '../sql/beatProcess.ts';
import { deleteProcesses, endLostSends, endSendsOf, freeProcessCalls } from '../sql/freeProcesses.ts';
import { lockProcess, lockSilentProcesses } from '../sql/lockProcesses.ts';
import { lookAtCalls } from '../sql/lookAtCalls.ts';
import { lostCalls } from '../sql/lostCalls.ts';
import { endLook, freeCalls, freeStrayCalls } from '../sql/releaseCalls.ts';
import type { CallRef } from './leasedCall.ts';

export interface QueueView {
  /** Whether a call is due that no process executes. Its lane may be held. */
  isDue: boolean;
  /** The ms until another one is due. */
  nextInMs: number | undefined;
  /** Whether another process has calls or sends, so it may die. */
  hasOthers: boolean;
}

/** Reads whether there is anything to do. An idle process asks nothing else. */
export async function viewCalls(ctx: EngineContext, { processId }: { processId: string }): Promise<QueueView> {
  const [row] = await lookAtCalls(ctx.db, { processId, now: ctx.clock.sql() });
  if (!row) throw new Error('a look at the model calls was not answered');
  return { ...row, nextInMs: row.nextInMs ?? undefined };
}

export interface Tick {
  processId: string;
  /** Whether it has calls, so that it must renew its heartbeat. */
  beats: boolean;
  vigil: Vigil;
  /** Its calls. */
  calls: readonly CallRef[];
}

export interface Ticked {
  /** False: others have found the process dead, or it never registered. */
  isAlive: boolean;
  /** Whether another process has calls or sends. */
  hasOthers: boolean;
  /** Whether another process is silent. */
  hasSilent: boolean;
  /** Whether a silent process is surely dead, so that `rescueCalls` frees its calls. */
  mayRescue: boolean;
  /**
   * Calls that ended, or that another process has claimed. A call whose lease ran out without that
   * is not among them: its answer is still taken.
   */
  lost: CallRef[];
}

/** Renews the heartbeat of a process with calls, and looks for processes that died. */
export async function tickProcess(ctx: EngineContext, { processId, beats, vigil, calls }: Tick): Promise<Ticked> {
  const db = ctx.db.urgent ?? ctx.db;
  const [row] = await beatProcess(db, { processId, beats, silenceMs: beatTimes.silenceMs, now: ctx.clock.sql() });
  if (!row) throw new Error('a heartbeat was not answered');
  const { now, ...ticked } = row;
  const mayRescue = vigil.look(now) && row.hasSilent;
  return { ...ticked, mayRescue, lost: calls.length === 0 ? [] : await lostCalls(db, { calls }) };
}

/** The calls among these that ended, or that another process has claimed. */
export const findLostCalls = (ctx: EngineContext, { calls }: { calls: readonly CallRef[] }): Promise<CallRef[]> =>
  calls.length === 0 ? Promise.resolve([]) : lostCalls(ctx.db, { calls });

/**
 * Frees the calls of silent processes. Their sends under way end as unknown, and count as spend.
 * Returns the number of freed calls.
 */
export function rescueCalls(ctx: EngineContext, processId: string): Promise<number> {
  return freeSilent(ctx, { processId, silenceMs: beatTimes.silenceMs });
}

/** The silence after which a process is found dead without a vigil, in ms. */
const longSilenceMs = 60_000;

/** The same by a process without calls of its own, which does not watch the others. */
export const rescueLongSilent = (ctx: EngineContext): Promise<number> =>
  freeSilent(ctx, { processId: undefined, silenceMs: longSilenceMs });

function freeSilent(
  ctx: EngineContext,
  { processId, silenceMs }: { processId: string | undefined; silenceMs: number },
): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const silent = await lockSilentProcesses(tx, { processId, silenceMs, now: ctx.clock.sql() });
    if (silent.length === 0) return 0;
    const { calls, sends } = await freeAll(ctx, tx, silent);
    if (calls + sends > 0) {
      const found = { dead: silent.length, calls, sends };
      tx.afterCommit(() => ctx.log.warn(found, 'found processes dead: freed their model calls'));
    }
    return calls;
  });
}

/** Frees what processes own, whose rows are locked, and deletes those rows. */
async function freeAll(
  ctx: EngineContext,
  tx: Transaction,
  processes: readonly { id: string }[],
): Promise<{ calls: number; sends: number }> {
  const processIds = processes.map(({ id }) => id);
  const now = ctx.clock.sql();
  const calls = await freeProcessCalls(tx, { processIds, now });
  const sends = await endLostSends(tx, { processIds, error: 'the process that sent it has stopped', now });
  await recordLostSends(ctx, tx, sends);
  await deleteProcesses(tx, { processIds });
  if (calls.length > 0) tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
  return { calls: calls.length, sends: sends.length };
}

/** Frees calls that were leased, and not sent. They are due as before, or after a time. */
export async function releaseCalls(ctx: EngineContext, { processId, calls, inMs = 0 }: Release): Promise<void> {
  if (calls.length === 0) return;
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.sql();
    const freed = await freeCalls(tx, { processId, calls, inMs, now });
    if (freed.length === 0) return;
    const ending = { outcome: 'refused', error: 'the request did not leave' } as const;
    await endSendsOf(tx, { processId, calls: freed, ...ending, now });
    tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
  });
}

interface Release {
  processId: string;
  calls: readonly CallRef[];
  /** Default: 0. */
  inMs?: number;
}

/**
 * Frees calls that a process does not know: the answer of a claim was lost. No claim may be in
 * progress. Returns their number.
 */
export function releaseStrays(
  ctx: EngineContext,
  { processId, known }: { processId: string; known: readonly CallRef[] },
): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const freed = await freeStrayCalls(tx, { processId, known });
    if (freed.length === 0) return 0;
    const ending = { outcome: 'unknown', error: 'the process that sent it has lost the call' } as const;
    const sends = await endSendsOf(tx, { processId, calls: freed, ...ending, now: ctx.clock.sql() });
    await recordLostSends(ctx, tx, sends);
    tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
    return freed.length;
  });
}

/** Removes a process that stops, and hands on what it still leases. */
export function retireProcess(ctx: EngineContext, processId: string): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    await lockProcess(tx, { processId });
    await freeAll(ctx, tx, [{ id: processId }]);
  });
}

/** Ends the look into the cache without an answer: the call queues for its lane. */
export async function unholdLook(
  ctx: EngineContext,
  { processId, call: { runId, stepIndex, claimNo } }: { processId: string; call: CallRef },
): Promise<void> {
  const ended = await endLook(ctx.db, { processId, runId, stepIndex, claimNo });
  if (ended.length > 0) ctx.bus.emit('inference.due', {});
}
