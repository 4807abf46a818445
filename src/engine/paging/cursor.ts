import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';
import { isId } from '../ids.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';
import { maxInt32 } from '../settings.ts';

export type CursorValue = string | number;

const checksumLength = 8;
/**
 * In characters. More than any row needs: a name of 256 code points and a runner's URL of 2048
 * characters.
 */
export const maxCursorLength = 12_288;

/**
 * An opaque cursor: the sort position of a row, with a checksum over it and its `order` (such as
 * `runs.started.desc`). The checksum exposes a damaged cursor, and one of another list or order.
 */
export function encodeCursor(order: string, values: readonly CursorValue[]): string {
  const body = Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
  return body + checksum(order, body);
}

/** The check of one value of a cursor. */
export type CursorPart<T extends CursorValue | undefined = CursorValue> = (value: unknown) => value is T;

type Position<Shape extends readonly CursorPart<CursorValue | undefined>[]> = {
  -readonly [At in keyof Shape]: Shape[At] extends CursorPart<infer T> ? T : never;
};

const integerFrom =
  (min: number, max: number): CursorPart<number> =>
  (value): value is number =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

/** The values of cursors, with the ranges that the database accepts. */
export const cursorParts = {
  id: isId,
  text: (value): value is string => typeof value === 'string' && !hasUnsupportedCharacter(value),
  int: integerFrom(-maxInt32 - 1, maxInt32),
  bigint: integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  /** Milliseconds since 1970, up to the year 9999. */
  instant: integerFrom(0, 253_402_300_799_999),
} satisfies Record<string, CursorPart<string> | CursorPart<number>>;

/** A last value that some rows do not have. */
export const optionalPart =
  <T extends CursorValue>(part: CursorPart<T>): CursorPart<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || part(value);

/**
 * The values of a cursor. Throws `invalid` unless `encodeCursor` made it for the same order. Anyone
 * can compute the checksum, so the values must also have this `shape`.
 */
export function decodeCursor<const Shape extends readonly CursorPart<CursorValue | undefined>[]>(
  order: string,
  cursor: string,
  shape: Shape,
): Position<Shape> {
  const body = cursor.slice(0, -checksumLength);
  if (cursor.length > maxCursorLength || cursor !== body + checksum(order, body)) throw badCursor();
  const values = parseBody(body);
  if (!hasShape(values, shape)) throw badCursor();
  return values;
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  } catch {
    throw badCursor();
  }
}

const hasShape = <Shape extends readonly CursorPart<CursorValue | undefined>[]>(
  values: unknown,
  shape: Shape,
): values is Position<Shape> =>
  Array.isArray(values) && values.length <= shape.length && shape.every((isFit, at) => isFit(values[at]));

const checksum = (order: string, body: string): string =>
  createHash('sha256').update(`${order}\n${body}`).digest('base64url').slice(0, checksumLength);

const badCursor = (): Error => invalid('cursor is damaged or belongs to another sort or dir');
