/** Names, ids and search words have at most this many characters (8). */
export const maxNameLength = 256;

/**
 * Whether a text has more characters than a limit: they are counted in code points, whatever those
 * take in memory.
 */
export function isLongerThan(text: string, codePoints: number): boolean {
  // A code point takes one or two units: most texts need no counting.
  if (text.length <= codePoints) return false;
  return text.length > codePoints * 2 || [...text].length > codePoints;
}
