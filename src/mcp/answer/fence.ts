import { randomBytes } from 'node:crypto';

const newMark = (): string => randomBytes(8).toString('hex');

/**
 * Data between two marks. The mark is new in each answer and does not stand in the data, so no text
 * of a stranger can close it.
 */
export function fenced(json: string): string {
  let mark = newMark();
  while (json.includes(mark)) mark = newMark();
  return `<data-${mark}>\n${json}\n</data-${mark}>`;
}

/** Bytes that the fence adds to its data. */
export const fenceBytes = Buffer.byteLength(fenced(''));
