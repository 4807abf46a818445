/**
 * A call that cannot be meant, as compilers refuse it and JavaScript does not: its message names
 * the field and what was expected. Users see a `TypeError`. In a run it fails for good, since no
 * further attempt goes better.
 */
export class MisuseError extends TypeError {}

/** A value, as a message says what was given instead. */
export function told(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * Throws where something is no object that can have fields. `expected`: what it is and looks like.
 */
export function checkFields(value: unknown, expected: string): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MisuseError(`${expected}; it is ${told(value)}`);
}

/** Throws where a field that must be text is none. */
export function checkText(value: unknown, field: string): asserts value is string {
  if (typeof value !== 'string' || value === '')
    throw new MisuseError(`${field} must be a string that is not empty; it is ${told(value)}`);
}
