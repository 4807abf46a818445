/**
 * Thrown for a call that TypeScript would reject, from JavaScript. The message names the field and
 * the expected value. Users see a `TypeError`. In a run it fails for good, because another attempt
 * would fail the same way.
 */
export class MisuseError extends TypeError {}

/** Describes a wrong value for an error message. */
export function described(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * Throws unless a value is an object that can have fields. `expected` describes it in the message.
 */
export function checkFields(value: unknown, expected: string): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MisuseError(`${expected}; it is ${described(value)}`);
}

export function checkText(value: unknown, field: string): asserts value is string {
  if (typeof value !== 'string' || value === '')
    throw new MisuseError(`${field} must be a string that is not empty; it is ${described(value)}`);
}
