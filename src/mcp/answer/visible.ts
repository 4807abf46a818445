/**
 * Characters that nobody sees: controls but tabs and line breaks, bidirectional marks, zero-width
 * characters, tags, and the selectors that can hide text behind another character.
 */
const invisible = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with each invisible character written as `\u…`. */
export const visible = (text: string): string => (isPlain.test(text) ? text : text.replace(invisible, escaped));

/** Most texts hold nothing to replace. */
const isPlain = /^[\t\n\r\x20-\x7e]*$/;

const escaped = (character: string): string => {
  let text = '';
  for (let at = 0; at < character.length; at += 1)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
};

/** JSON text in which invisible characters are escaped. It stands for the same value. */
export const visibleJson = visible;

/** The first characters, without half of a pair at the end. */
export const head = (text: string, characters: number): string =>
  text.slice(0, characters).replace(/[\ud800-\udbff]$/, '');
