import { MisuseError } from './misuse.ts';

/** Names may have this many characters, as people count them: code points. */
export const nameLimit = 256;

/** What the service keeps in no name: U+0000, and half a surrogate pair. */
export const hasUnsupportedCharacter = (text: string): boolean => /[\0\p{Surrogate}]/u.test(text);

/**
 * Throws a `TypeError` where a step cannot be named so. `name`: its id, with the number that a
 * repeated id gets.
 */
export function checkStepName(name: string): void {
  const characters = name.length > nameLimit ? [...name] : [];
  if (characters.length > nameLimit) {
    throw new MisuseError(
      `the name of a step may have ${nameLimit} characters; this has ${characters.length}: "${characters.slice(0, 40).join('')}…"`,
    );
  }
  if (hasUnsupportedCharacter(name)) {
    throw new MisuseError(
      `the name of a step may hold no U+0000 and no half of a surrogate pair: ${JSON.stringify(name)}`,
    );
  }
}
