import type { EngineContext } from '../../context.ts';
import type { Vigil } from '../../vigil.ts';
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
export function viewCalls(_ctx: EngineContext, _question: { processId: string }): Promise<QueueView> {
  throw new Error('not written yet');
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
export function tickProcess(_ctx: EngineContext, _tick: Tick): Promise<Ticked> {
  throw new Error('not written yet');
}

/** The calls among these that ended, or that another process has claimed. */
export function findLostCalls(_ctx: EngineContext, _question: { calls: readonly CallRef[] }): Promise<CallRef[]> {
  throw new Error('not written yet');
}

/**
 * Frees the calls of silent processes. Their sends under way end as unknown, and count as spend.
 * Returns the number of freed calls.
 */
export function rescueCalls(_ctx: EngineContext, _processId: string): Promise<number> {
  throw new Error('not written yet');
}

/** Frees calls that were leased, and not sent. */
export function releaseCalls(
  _ctx: EngineContext,
  _release: { processId: string; calls: readonly CallRef[] },
): Promise<void> {
  throw new Error('not written yet');
}

/**
 * Frees calls that a process does not know: the answer of a claim was lost. No claim may be in
 * progress. Returns their number.
 */
export function releaseStrays(
  _ctx: EngineContext,
  _release: { processId: string; known: readonly CallRef[] },
): Promise<number> {
  throw new Error('not written yet');
}

/** Removes a process that stops, and hands on what it still leases. */
export function retireProcess(_ctx: EngineContext, _processId: string): Promise<void> {
  throw new Error('not written yet');
}

/** Ends the look into the cache without an answer: the call queues for its lane. */
export function unholdLook(_ctx: EngineContext, _look: { processId: string; call: CallRef }): Promise<void> {
  throw new Error('not written yet');
}
