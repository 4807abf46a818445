/** The maximum length of names, ids and search words, in characters (8). */
export const maxNameLength = 256;

/** Whether a text has more characters than the limit. A character is a code point. */
export function isLongerThan(text: string, codePoints: number): boolean {
  // A code point is one or two code units, so most texts need no counting.
  if (text.length <= codePoints) return false;
  return text.length > codePoints * 2 || [...text].length > codePoints;
}
