import { visibleJson } from './visible.ts';

/** A part of a text. The pieces of a text, put together, are equal to it. */
export interface Piece {
  piece: string;
  /** The bytes of the whole text, and of what stands before the piece. */
  bytes: number;
  offset: number;
  /** Undefined in the last piece. */
  nextOffset?: number;
}

/**
 * The piece of a text at an offset in bytes, as long as its JSON form fits. Undefined if no
 * character begins at the offset.
 */
export function pieceAt(text: string, offset: number, maxBytes: number): Piece | undefined {
  const whole = Buffer.from(text);
  if (offset > whole.length || !isBoundary(whole, offset)) return undefined;
  let length = Math.min(whole.length - offset, maxBytes);
  for (;;) {
    const end = boundaryBefore(whole, offset + length);
    const piece: Piece = {
      piece: whole.toString('utf8', offset, end),
      bytes: whole.length,
      offset,
      ...(end < whole.length && { nextOffset: end }),
    };
    const size = Buffer.byteLength(visibleJson(JSON.stringify(piece)));
    if (size <= maxBytes || length <= 4) return piece;
    length = Math.max(4, Math.min(length - 1, Math.floor((length * maxBytes) / size) - 16));
  }
}

/** Whether a character begins here: continuing bytes begin with the bits 10. */
const isBoundary = (whole: Buffer, at: number): boolean => ((whole[at] ?? 0) & 0xc0) !== 0x80;

function boundaryBefore(whole: Buffer, end: number): number {
  let at = Math.min(end, whole.length);
  while (at < whole.length && !isBoundary(whole, at)) at -= 1;
  return at;
}
