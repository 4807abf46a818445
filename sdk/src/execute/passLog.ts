import { isError } from '../isError.ts';
import { type LogLevel, logLevels, rootScope, type WireLogLine } from '../protocol.ts';

type Fields = Record<string, unknown>;
type Say = (message: string, fields?: Fields) => void;

/**
 * Lines that belong to the run. They carry the step in which they were said, reach the service with
 * the pass, and are kept once however often the handler runs again.
 */
export interface Logger {
  readonly debug: Say;
  readonly info: Say;
  readonly warn: Say;
  readonly error: Say;
}

/** What is worth keeping of one line, in characters. */
const messageLimit = 16_384;
const fieldsLimit = 32_768;
/** Lines of one scope in a pass; what goes beyond is dropped. */
const lineLimit = 5_000;

/**
 * Lines of the library itself are numbered from here, so that they never take the number of a
 * handler's line.
 */
const ownIndexBase = 1_000_000;

/**
 * The lines of one pass: numbered per scope, because that number makes a line the same line in the
 * next pass.
 */
export class PassLog {
  readonly #lines: WireLogLine[] = [];
  readonly #next = new Map<string, number>();

  add(level: LogLevel, scope: string, message: string, fields?: Fields): void {
    const index = this.#next.get(scope) ?? 0;
    this.#next.set(scope, index + 1);
    if (index >= lineLimit) return;
    this.#lines.push(line(level, scope, index, message, fields));
  }

  /** A line of the library; `kind` tells its lines apart, so that each is kept once per run. */
  addOwn(kind: number, level: LogLevel, message: string): void {
    this.#lines.push(line(level, rootScope, ownIndexBase + kind, message, undefined));
  }

  /**
   * The lines as JSON array text of at most `bytes`, in the order in which they were said; see
   * `worth` for what is cut.
   */
  text(bytes: number): string {
    const texts = this.#lines.map((each) => JSON.stringify(each));
    const places = [...texts.keys()].sort((one, other) => this.#worthAt(other) - this.#worthAt(one));
    let room = bytes - '[]'.length;
    const kept: number[] = [];
    for (const place of places) {
      room -= Buffer.byteLength(texts[place] ?? '') + ','.length;
      if (room < 0) break;
      kept.push(place);
    }
    return `[${kept
      .sort((one, other) => one - other)
      .map((place) => texts[place])
      .join(',')}]`;
  }

  #worthAt(place: number): number {
    const line = this.#lines[place];
    return line === undefined ? 0 : worth(line);
  }
}

/**
 * Where not all lines fit, the lesser are cut, and of equals the later. A line of a step is said
 * once, one of the handler in each pass that follows; then its level counts.
 */
function worth({ level, scope }: WireLogLine): number {
  return logLevels.indexOf(level) + (scope === rootScope ? 0 : logLevels.length);
}

function line(level: LogLevel, scope: string, index: number, message: string, fields?: Fields): WireLogLine {
  const base = { level, message: String(message).slice(0, messageLimit), scope, index, tsMs: Date.now() };
  const said = fields === undefined ? undefined : sayable(fields);
  return said === undefined ? base : { ...base, fields: said };
}

/** Logging never fails a handler: what JSON cannot say is described instead. */
function sayable(fields: Fields): Fields | undefined {
  try {
    const text = JSON.stringify(fields, describe);
    if (text === undefined) return undefined;
    return text.length > fieldsLimit ? { omitted: `fields of ${text.length} characters` } : JSON.parse(text);
  } catch (cause) {
    return { omitted: `fields that JSON cannot say: ${isError(cause) ? cause.message : String(cause)}` };
  }
}

function describe(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (isError(value)) return { name: value.name, message: value.message, stack: value.stack };
  return value;
}
