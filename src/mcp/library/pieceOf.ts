import type { Page } from './pages.ts';

/** A part of the text of a page. */
export interface Piece {
  /** Where it begins, in characters. */
  offset: number;
  text: string;
  /** Where the next piece begins; undefined at the end of the page. */
  nextOffset: number | undefined;
}

/**
 * The longest piece from an offset on that `fits`. It ends with a line, unless not even one line
 * fits. Pieces that follow each other are the whole text.
 */
export function pieceOf({ text }: Page, offset: number, fits: (piece: Piece) => boolean): Piece {
  const upTo = (end: number): Piece => ({
    offset,
    text: text.slice(offset, end),
    nextOffset: end < text.length ? end : undefined,
  });
  let [fitting, tooFar] = [offset, text.length + 1];
  while (tooFar - fitting > 1) {
    const middle = Math.floor((fitting + tooFar) / 2);
    if (fits(upTo(middle))) fitting = middle;
    else tooFar = middle;
  }
  if (fitting >= text.length) return upTo(text.length);
  const line = text.lastIndexOf('\n', fitting - 1) + 1;
  return upTo(line > offset ? line : Math.max(offset + 1, withoutHalf(text, fitting)));
}

/** An end that does not cut a pair of surrogates. */
const withoutHalf = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
