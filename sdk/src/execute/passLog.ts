import { isError } from '../isError.ts';
import { type LogLevel, logLevels, rootScope, type WireLogLine } from '../protocol.ts';

type Fields = Record<string, unknown>;
type Say = (message: string, fields?: Fields) => void;

/**
 * Logs lines that belong to the run. Each line names its step, reaches the service with the pass,
 * and is stored once however often the handler runs.
 */
export interface Logger {
  readonly debug: Say;
  readonly info: Say;
  readonly warn: Say;
  readonly error: Say;
}

const messageLimit = 16_384;
const fieldsLimit = 32_768;
/** Lines per scope in a pass; further ones are dropped. */
const lineLimit = 5_000;

/** The library numbers its own lines from here, apart from the handler's lines. */
const ownIndexBase = 1_000_000;

interface Line {
  readonly text: string;
  readonly worth: number;
  readonly isOfHandler: boolean;
}

/**
 * The lines of a handler, numbered per scope. The number identifies a line across passes. Each
 * answer carries the lines that are new since the last one of the same handler, as the service has
 * the others.
 */
export class PassLog {
  /** The lines since the last answer. */
  #lines: WireLogLine[] = [];
  /** The handler's own lines of earlier answers, which a replay of the handler would repeat. */
  #earlier: Line[] = [];
  #earlierBytes = 0;
  readonly #next = new Map<string, number>();
  readonly #own = new Set<number>();
  #hasDropped = false;

  /** Whether an answer had no room for a line. Then only a replay repeats it. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  add(level: LogLevel, scope: string, message: string, fields?: Fields): void {
    const index = this.#next.get(scope) ?? 0;
    this.#next.set(scope, index + 1);
    if (index >= lineLimit) return;
    this.#lines.push(line(level, scope, index, message, fields));
  }

  /** Adds a line of the library. Lines of different `kind` are each stored once per run. */
  addOwn(kind: number, level: LogLevel, message: string): void {
    if (this.#own.has(kind)) return;
    this.#own.add(kind);
    this.#lines.push(line(level, rootScope, ownIndexBase + kind, message, undefined));
  }

  /**
   * The new lines as a JSON array, in order. If all lines of the handler have more than `bytes`,
   * `worth` decides which ones are dropped, as in a replay.
   */
  take(bytes: number): string {
    const lines = this.#lines.map(lineText);
    this.#lines = [];
    const own = lines.filter(({ isOfHandler }) => isOfHandler);
    const kept = bytesOf(lines) + this.#earlierBytes <= bytes - '[]'.length ? lines : this.#worthiest(lines, bytes);
    this.#earlier.push(...own);
    this.#earlierBytes += bytesOf(own);
    return `[${kept.map(({ text }) => text).join(',')}]`;
  }

  #worthiest(lines: readonly Line[], bytes: number): Line[] {
    this.#hasDropped = true;
    const byWorth = [...this.#earlier, ...lines].sort((one, other) => other.worth - one.worth);
    let room = bytes - '[]'.length;
    const kept = new Set<Line>();
    for (const each of byWorth) {
      room -= bytesOf([each]);
      if (room < 0) break;
      kept.add(each);
    }
    return lines.filter((each) => kept.has(each));
  }
}

const lineText = (line: WireLogLine): Line => ({
  text: JSON.stringify(line),
  worth: worth(line),
  isOfHandler: line.scope === rootScope,
});

const bytesOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + ','.length, 0);

/**
 * Rates a line for dropping: the lowest goes first, among equals the latest. Lines of steps rank
 * highest, because later passes do not repeat them. Then the level decides.
 */
function worth({ level, scope }: WireLogLine): number {
  return logLevels.indexOf(level) + (scope === rootScope ? 0 : logLevels.length);
}

function line(level: LogLevel, scope: string, index: number, message: string, fields?: Fields): WireLogLine {
  const base = { level, message: String(message).slice(0, messageLimit), scope, index, tsMs: Date.now() };
  const kept = fields === undefined ? undefined : toJsonFields(fields);
  return kept === undefined ? base : { ...base, fields: kept };
}

/** Logging never fails a handler: fields that JSON cannot carry are described instead. */
function toJsonFields(fields: Fields): Fields | undefined {
  try {
    const text = JSON.stringify(fields, describe);
    if (text === undefined) return undefined;
    return text.length > fieldsLimit ? { omitted: `fields of ${text.length} characters` } : JSON.parse(text);
  } catch (cause) {
    return { omitted: `fields that JSON cannot carry: ${isError(cause) ? cause.message : String(cause)}` };
  }
}

function describe(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (isError(value)) return { name: value.name, message: value.message, stack: value.stack };
  return value;
}
