/** The size of a payload, and the beginning of its text. */
export interface PayloadHead {
  /** The number of the wanted payload, from 0. */
  n: number;
  /** The size of the whole text, in bytes of UTF-8. */
  bytes: number;
  head: string;
}

/**
 * The columns of a `PayloadHead`, of wanted payloads `w` and their texts `p`. PostgreSQL cuts the
 * text, so that the rest does not travel. `offset 0` in `p` reads each text once.
 */
export const headColumns = 'w.n, octet_length(p.text) as bytes, left(p.text, w.characters) as head';

/** The beginning of a text, of at most so many bytes of UTF-8 and of whole characters. */
export function headOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  // 10xxxxxx goes on with a character.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
}
