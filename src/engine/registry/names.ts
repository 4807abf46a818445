import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { type HoldfastError, invalid } from '../errors.ts';
import { hasControlCharacter, hasUnsupportedCharacter } from '../json/index.ts';

/**
 * Checks the name of a workflow, app, step, runner or event: up to 256 code points, and no control
 * characters.
 */
export function parseName(value: unknown, ref: DefinitionRef): string {
  if (typeof value !== 'string' || value.trim() === '') throw malformed(ref, 'must be a non-empty string');
  if (isLongerThan(value, maxNameLength)) throw malformed(ref, `must be at most ${maxNameLength} characters long`);
  if (hasControlCharacter(value)) throw malformed(ref, 'must not contain control characters');
  return value;
}

/** Like `parseName`, but absent, null and empty give undefined. */
export function parseOptionalName(value: unknown, ref: DefinitionRef): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : parseName(value, ref);
}

/** Refuses text that no column can hold. */
export function checkCharacters(text: string, ref: DefinitionRef): void {
  if (hasUnsupportedCharacter(text)) throw malformed(ref, 'has an unsupported character');
}

/**
 * The malformed part of a registration: its workflow, if any, and the field as the runner wrote it.
 */
export interface DefinitionRef {
  workflow?: string | undefined;
  field: string;
}

/**
 * The error of a malformed registration. `reason` follows the field's name, as in "must be a
 * number".
 */
export function malformed({ workflow, field }: DefinitionRef, reason: string): HoldfastError {
  return invalid(`${workflow === undefined ? '' : `workflow ${JSON.stringify(workflow)}: `}${field} ${reason}`);
}
