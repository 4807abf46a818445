// Shares the answers of slow reads between all who ask the same.
//
// Owns: the last answers, as many as there is room for, and the reads in progress.
// Does not own: how old an answer may be. The caller says it, and 0 shares nothing.
import type pg from 'pg';
import { BoundedCache } from './boundedCache.ts';
import type { EngineContext } from './context.ts';
import type { ReadQuery } from './db/index.ts';
import { invalid } from './errors.ts';
import { longRead } from './longRead.ts';
import { perEngine } from './perEngine.ts';

type Rows = readonly pg.QueryResultRow[];

interface Reading {
  /** When it was asked for. */
  atMs: number;
  rows: Promise<Rows>;
}

/** A time in which a read may have been asked for. */
interface Span {
  fromMs: number;
  toMs: number;
}

const isWithin = ({ fromMs, toMs }: Span, { atMs }: { atMs: number }): boolean => atMs >= fromMs && atMs <= toMs;

interface Answer {
  /** When its read was asked for. */
  atMs: number;
  rows: Rows;
  /** Of question and answer as JSON, in characters. */
  size: number;
}

/** Of all answers that are kept, and of one of them. */
const maxCharacters = 20_000_000;
const maxAnswerCharacters = 2_000_000;

/** The longest `maxAge`, in seconds. */
export const longestAge = 3_600;

/** A `maxAge` in ms; 0 if it is absent. Throws `invalid` unless it is a whole number of seconds. */
export function ageMs(asked: number | null | undefined): number {
  if (asked === null || asked === undefined) return 0;
  if (Number.isInteger(asked) && asked >= 0 && asked <= longestAge) return asked * 1_000;
  throw invalid(`maxAge must be an integer of seconds from 0 to ${longestAge}`);
}

/** The reads of one engine. A key is a question with its values, of which the project is one. */
class SharedReads {
  readonly #reading = new Map<string, Reading>();
  readonly #answers = new BoundedCache<string, Answer>(maxCharacters, (_, { size }) => size);

  /** An answer that was asked for within a time. */
  known(key: string, span: Span): Rows | undefined {
    const found = this.#answers.get(key);
    // The clock was set back.
    if (found && found.atMs > span.toMs) this.#answers.delete(key);
    return found && isWithin(span, found) ? found.rows : undefined;
  }

  /** The answer of a read in progress that was asked for within a time. */
  coming(key: string, span: Span): Promise<Rows> | undefined {
    const found = this.#reading.get(key);
    return found && isWithin(span, found) ? found.rows : undefined;
  }

  async read(key: string, atMs: number, read: () => Promise<Rows>): Promise<Rows> {
    const reading = { atMs, rows: read() };
    this.#reading.set(key, reading);
    try {
      const rows = await reading.rows;
      this.#keep(key, { atMs, rows, size: key.length + JSON.stringify(rows).length });
      return rows;
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    }
  }

  /** A slow read may end after a later one. */
  #keep(key: string, answer: Answer): void {
    const known = this.#answers.get(key);
    const isLatest = !known || known.atMs <= answer.atMs;
    if (isLatest && answer.size <= maxAnswerCharacters) this.#answers.set(key, answer);
  }
}

const readsOf = perEngine(() => new SharedReads());

/**
 * A `longRead` whose answer may be `maxAgeMs` old. Its rows are shared with other callers, so
 * nobody may change them. With 0 the read begins now, and nobody shares it.
 */
export async function sharedRead<Row extends pg.QueryResultRow>(
  ctx: EngineContext,
  query: ReadQuery,
  maxAgeMs: number,
): Promise<readonly Row[]> {
  if (maxAgeMs === 0) return longRead<Row>(ctx, query);
  const reads = readsOf(ctx);
  const key = JSON.stringify([query.text, query.values]);
  const toMs = ctx.clock.now().getTime();
  const span = { fromMs: toMs - maxAgeMs, toMs };
  const coming = reads.coming(key, span);
  const rows =
    reads.known(key, span) ??
    (await (coming ? ctx.longReads.join(() => coming) : reads.read(key, toMs, () => longRead(ctx, query))));
  return rows as readonly Row[];
}
