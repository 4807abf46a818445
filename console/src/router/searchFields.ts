import * as z from 'zod/mini';

/**
 * Fields of search schemas. Each takes the text of the URL or the value that a page has set. A
 * value that a page does not understand counts as absent: an old link never blanks a page.
 */

const absent = undefined;

/** A text of at most so many characters. */
export const textUpTo = (most: number) =>
  z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(most))), absent);

/** A short text. */
export const text = textUpTo(1000);

/** A number from 1 on, as it stands in the URL. */
export const count = z.catch(z.optional(z.string().check(z.regex(/^[1-9]\d{0,5}$/))), absent);

/** Two whole numbers, `<from>-<to>`; the second one may be absent. */
export const range = z.catch(z.optional(z.string().check(z.regex(/^\d{1,15}-\d{0,15}$/))), absent);

/** `1`, or absent. */
export const flag = z.catch(
  z.pipe(
    z.transform((value) => (value === '1' || value === true ? true : undefined)),
    z.optional(z.literal(true)),
  ),
  absent,
);

/** One of a few words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.catch(z.optional(z.enum(words)), absent);

/** Several of a few words, joined by commas. */
export const someOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.catch(
    z.pipe(
      z.transform((value) => {
        const list = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
        const known = list.filter((each) => words.includes(each));
        return known.length > 0 ? known : undefined;
      }),
      z.optional(z.array(z.enum(words))),
    ),
    absent,
  );

/** An instant, `2026-11-27T12:00:00Z`, or the last hours or days: `24h`, `7d`. */
export const moment = z.catch(
  z.optional(z.string().check(z.regex(/^(\d{1,4}[mhd]|\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?)$/))),
  absent,
);

/** Labels by key: `tag.<key>=<value>`. */
export const tags = z.catch(
  z.optional(z.record(z.string().check(z.minLength(1), z.maxLength(200)), z.string().check(z.maxLength(1000)))),
  absent,
);

export const object = z.object;
export type Infer<Schema extends z.core.$ZodType> = z.output<Schema>;

/** Reads the search parameters of a page by its schema. Parameters that it lacks are dropped. */
export const readBy =
  <Schema extends z.core.$ZodType<Record<string, unknown>>>(schema: Schema) =>
  (raw: Record<string, unknown>): z.output<Schema> =>
    z.parse(schema, raw);

/** The instant of a `moment`, for a variable of the API. */
export function instantOf(value: string | undefined, now = Date.now()): string | undefined {
  if (value === undefined) return undefined;
  const [, count, unit] = /^(\d+)([mhd])$/.exec(value) ?? [];
  if (!count || !unit) return new Date(value).toISOString();
  const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? 0;
  // Whole minutes, so that a question stays the same for a while.
  return new Date(Math.floor(now / 60_000) * 60_000 - Number(count) * unitMs).toISOString();
}
