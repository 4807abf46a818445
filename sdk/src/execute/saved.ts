import { NonDeterminismError } from '../errors.ts';

/**
 * The error for a saved result that another kind of step made. `now` describes the present step.
 */
export function changedKind(name: string, now: string): NonDeterminismError {
  return new NonDeterminismError(
    `step "${name}" is ${now}, but what is saved under its name came from another kind of step. ` +
      'Give it a new id, so that runs under way are not confused.',
  );
}

export function hasKeys(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && key in value;
}
