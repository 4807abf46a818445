/**
 * A regular expression of PostgreSQL for a piece of text as it may stand in JSON: each character
 * raw or in any of its escapes, so that a text need not be decoded to be searched, whatever else it
 * holds. To be matched in any case (`~*`). One alternative per form and character: matching takes
 * time in proportion to the text.
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
  // A raw backslash always begins an escape: as content it stands escaped only.
  const raw = character === '\\' ? [] : [character];
  return [...raw, ...(short === undefined ? [] : [short]), ...casesOf(character).map(byNumber)];
}

/**
 * Escapes by number name another character in another case. What has more than one character in it
 * is left out.
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
