/**
 * A regular expression of PostgreSQL that finds a text inside JSON: each character raw, or in any
 * of its escapes. So no JSON is decoded for a search. Matching ignores case (`~*`). Each character
 * has one alternative per form, so matching takes time in proportion to the text.
 */
export const contentPattern = (text: string): string =>
  Array.from(text, (character) => `(?:${formsOf(character).map(literally).join('|')})`).join('');

/** Escapes of JSON that are shorter than by number. */
const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['/', '\\/'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function formsOf(character: string): string[] {
  const short = shortEscapes.get(character);
  // A raw backslash always begins an escape. As content, a backslash is escaped.
  const raw = character === '\\' ? [] : [character];
  return [...raw, ...(short === undefined ? [] : [short]), ...casesOf(character).map(byNumber)];
}

/**
 * In another case, an escape by number names another character. Case variants of several characters
 * are skipped.
 */
const casesOf = (character: string): string[] =>
  [...new Set([character, character.toLowerCase(), character.toUpperCase()])].filter((each) => [...each].length === 1);

/** As one escape, or as two beyond the basic plane. */
const byNumber = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
