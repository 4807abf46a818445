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

/** The lines of one pass, numbered per scope. The number identifies a line across passes. */
export class PassLog {
  readonly #lines: WireLogLine[] = [];
  readonly #next = new Map<string, number>();

  add(level: LogLevel, scope: string, message: string, fields?: Fields): void {
    const index = this.#next.get(scope) ?? 0;
    this.#next.set(scope, index + 1);
    if (index >= lineLimit) return;
    this.#lines.push(line(level, scope, index, message, fields));
  }

  /** Adds a line of the library. Lines of different `kind` are each stored once per run. */
  addOwn(kind: number, level: LogLevel, message: string): void {
    this.#lines.push(line(level, rootScope, ownIndexBase + kind, message, undefined));
  }

  /**
   * The lines as a JSON array of at most `bytes`, in order. `worth` decides which lines are
   * dropped.
   */
  text(bytes: number): string {
    const texts = this.#lines.map((each) => JSON.stringify(each));
    const byWorth = [...texts.keys()].sort((one, other) => this.#worthAt(other) - this.#worthAt(one));
    let room = bytes - '[]'.length;
    const kept: number[] = [];
    for (const index of byWorth) {
      room -= Buffer.byteLength(texts[index] ?? '') + ','.length;
      if (room < 0) break;
      kept.push(index);
    }
    return `[${kept
      .sort((one, other) => one - other)
      .map((index) => texts[index])
      .join(',')}]`;
  }

  #worthAt(index: number): number {
    const line = this.#lines[index];
    return line === undefined ? 0 : worth(line);
  }
}

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
