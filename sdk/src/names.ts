import { MisuseError } from './misuse.ts';

/** The longest name, in characters as people count them: code points. */
export const nameLimit = 256;

/** Whether the service refuses a name: U+0000, or half of a surrogate pair. */
export const hasUnsupportedCharacter = (text: string): boolean => /[\0\p{Surrogate}]/u.test(text);

/**
 * Throws a `TypeError` if a step cannot have this name. `name` is its id, with the number of a
 * repeated id.
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
