import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * What a crash test remembers outside of the service. Each participant writes down what it did,
 * before it does the next thing, into a file that survives its death: the file is written by one
 * system call per line.
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
 * Milliseconds since the epoch, to the microsecond: processes of one machine can be put in order by
 * it.
 */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

/**
 * All entries of a file, in the order written. The half of a line that a killed process left at the
 * end is dropped.
 */
export function readLedger<Entry>(path: string): Entry[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What follows the last line feed is empty, or torn.
  lines.pop();
  return lines.map((line): Entry => JSON.parse(line));
}

/** A start that a client asked for. The key makes a retry recognizable. */
export interface RequestEntry {
  kind: 'request';
  at: number;
  /** Unique per start; its retries carry the same. It is the `dedupeId` of the request. */
  key: string;
  what: { event: string } | { workflow: string };
}

/**
 * The status line was received. A request without an answer is unknown: it may have happened once,
 * or not.
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
  /** What the memo holds as completed: with `data` or with `error`. */
  memo: SeenMemo[];
}

/** The body of a step was entered. */
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

/** A webhook that arrived with a valid signature. */
export interface ReceiverEntry {
  kind: 'delivery';
  at: number;
  deliveryId: string;
  eventKind: string;
  runId: string;
}

/** Something was killed, stopped or cut on purpose. */
export interface FaultEntry {
  kind: 'fault';
  at: number;
  what: string;
}
