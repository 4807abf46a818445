import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';

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

/** The values of a cursor. Throws `invalid` unless `encodeCursor` made it for the same order. */
export function decodeCursor(order: string, cursor: string): CursorValue[] {
  const body = cursor.slice(0, -checksumLength);
  if (cursor.length > maxCursorLength || cursor !== body + checksum(order, body)) throw badCursor();
  const values: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  if (!Array.isArray(values) || !values.every(isCursorValue)) throw badCursor();
  return values;
}

const checksum = (order: string, body: string): string =>
  createHash('sha256').update(`${order}\n${body}`).digest('base64url').slice(0, checksumLength);

const isCursorValue = (value: unknown): value is CursorValue => typeof value === 'string' || typeof value === 'number';

const badCursor = (): Error => invalid('cursor is damaged or belongs to another sort or dir');
