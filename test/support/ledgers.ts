import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * The record of one participant of a crash test, outside of the service. A participant records each
 * action before the next. The file survives its death, because each line is one system call.
 */
export class Ledger<Entry extends { at: number }> {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** Written when it returns: a process that is killed afterwards loses nothing. */
  append(entry: WithoutTime<Entry>): void {
    writeSync(this.#file, `${JSON.stringify({ at: preciseNow(), ...entry })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Distributes over unions, so that each kind of entry keeps its own fields. */
type WithoutTime<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never;

/**
 * Milliseconds since the epoch, to the microsecond, so that events of several processes can be
 * ordered.
 */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

/** All entries of a file, in order. Drops half a line of a killed process at the end. */
export function readLedger<Entry>(path: string): Entry[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // The part after the last line feed is empty or incomplete.
  lines.pop();
  return lines.map((line): Entry => JSON.parse(line));
}

/** A start that a client requested. The key identifies its retries. */
export interface RequestEntry {
  kind: 'request';
  at: number;
  /** Unique per start, and shared by its retries: the `dedupeId` of the request. */
  key: string;
  what: { event: string } | { workflow: string };
}

/**
 * The client received the status line. A request without an answer may have started a run once, or
 * not.
 */
export interface AnswerEntry {
  kind: 'answer';
  at: number;
  key: string;
  status: number;
  eventId?: string | undefined;
  /** Runs that the answer names. */
  runIds: string[];
  deduped: boolean;
}

export type ClientEntry = RequestEntry | AnswerEntry;

/** A completed step in an invoke's memo. */
export interface SeenMemo {
  stepId: string;
  /** The JSON text of the memo entry. */
  text: string;
}

export interface InvokeEntry {
  kind: 'invoke';
  at: number;
  /** Unique per invoke received. */
  invokeId: string;
  runId: string;
  /** The completed steps in the memo, with `data` or `error`. */
  memo: SeenMemo[];
}

/** The body of a step began. */
export interface BodyEntry {
  kind: 'body';
  at: number;
  invokeId: string;
  runId: string;
  stepId: string;
}

/** The runner sent its answer. */
export interface RepliedEntry {
  kind: 'replied';
  at: number;
  invokeId: string;
  runId: string;
  status: number;
}

export type RunnerEntry = InvokeEntry | BodyEntry | RepliedEntry;

/** A deliberate kill, stop or cut. */
export interface FaultEntry {
  kind: 'fault';
  at: number;
  what: string;
}
