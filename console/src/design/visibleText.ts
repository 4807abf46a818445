/**
 * Characters of strangers' names that deceive or vanish: controls, bidi overrides, zero-width
 * characters, lone surrogates.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to show.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with hidden characters as `‹U+202E›`. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (found) => `‹U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);

/** The text as a link's target, if that is a page of the web: other schemes are refused. */
export function webAddress(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
