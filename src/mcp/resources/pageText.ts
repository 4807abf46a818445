import { notFound } from '../../engine/errors.ts';
import { fenceBytes, fenced } from '../answer/fence.ts';
import { visible } from '../answer/visible.ts';
import { pageNamed, readPages } from '../library/pages.ts';
import { pieceOf } from '../library/pieceOf.ts';

const whole = 'A page of the documentation of this version.';
const first = (offset: number): string =>
  `The first ${offset} characters of a page of the documentation of this version. read_doc reads on from this offset.`;

/** A page as Markdown, from its beginning up to the bound. Throws `notFound`. */
export async function pageText(name: string, maxBytes: number): Promise<string> {
  const page = pageNamed(await readPages(), name);
  if (!page) throw notFound('page not found');
  const room = maxBytes - Buffer.byteLength(first(page.text.length)) - 1 - fenceBytes;
  const { text, nextOffset } = pieceOf(page, 0, (piece) => Buffer.byteLength(visible(piece.text)) <= room);
  return `${nextOffset === undefined ? whole : first(nextOffset)}\n${fenced(visible(text))}`;
}
