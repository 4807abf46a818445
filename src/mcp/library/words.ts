/** Runs of letters and digits, joined by the marks that names are written with. */
const names = /[\p{L}\p{N}]+(?:[-_./:][\p{L}\p{N}]+)*/gu;
const parts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu;

/** Words without meaning of their own. */
const empty = new Set(
  'a an and are as at be by can do does for from has have how i if in into is it its me my no not of on or our so than that the their then there they this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/**
 * The words of a text, in order and in their basic form. A name such as `step.ai.generate`,
 * `MAX_JSON_DEPTH` or `maxAttempts` counts as a whole, and by its parts.
 */
export function wordsOf(text: string): string[] {
  const found: string[] = [];
  for (const [name] of text.matchAll(names)) {
    const pieces = name.match(parts) ?? [];
    const whole = name.toLowerCase();
    if (pieces.length > 1) found.push(whole);
    for (const piece of pieces) {
      const word = piece.toLowerCase();
      if (!empty.has(word)) found.push(stemOf(word));
    }
  }
  return found;
}

/** A word without the usual endings of English. Equal stems need not be words. */
export function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  const singular = word.replace(/(ss)$|ies$|(sh|ch|x)es$|s$/, (ending, ss = '', before = '') =>
    ending === 'ies' ? 'y' : `${ss}${before}`,
  );
  const stem = singular.replace(/(?:ing|ed)$/, '');
  if (stem === singular || stem.length < 3 || !/[aeiouy]/.test(stem)) return withoutE(singular);
  return withoutE(stem.replace(/([b-df-hj-np-rt-vx-z])\1$/, '$1'));
}

const withoutE = (word: string): string => (word.length > 4 ? word.replace(/e$/, '') : word);
