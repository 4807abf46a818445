import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { type HoldfastError, invalid } from '../errors.ts';
import { hasControlCharacter, hasUnsupportedCharacter } from '../json/index.ts';

/**
 * Checks a name of a workflow, app, step, runner or event: up to 256 code points, none of them a
 * control character.
 */
export function parseName(value: unknown, place: DefinitionPlace): string {
  if (typeof value !== 'string' || value.trim() === '') throw malformed(place, 'must be a non-empty string');
  if (isLongerThan(value, maxNameLength)) throw malformed(place, `must be at most ${maxNameLength} characters long`);
  if (hasControlCharacter(value)) throw malformed(place, 'must not contain control characters');
  return value;
}

/** As `parseName`; absent, null and empty are all none. */
export function parseOptionalName(value: unknown, place: DefinitionPlace): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : parseName(value, place);
}

/** Refuses a text which no column can hold. */
export function checkCharacters(text: string, place: DefinitionPlace): void {
  if (hasUnsupportedCharacter(text)) throw malformed(place, 'has an unsupported character');
}

/**
 * Where in a registration something is wrong: the workflow, if it is one's, and the field as the
 * runner wrote it.
 */
export interface DefinitionPlace {
  workflow?: string | undefined;
  field: string;
}

/**
 * What is thrown for a malformed registration; `reason` follows the field's name, as in "must be a
 * number".
 */
export function malformed({ workflow, field }: DefinitionPlace, reason: string): HoldfastError {
  return invalid(`${workflow === undefined ? '' : `workflow ${JSON.stringify(workflow)}: `}${field} ${reason}`);
}
