import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { HoldfastError, invalid } from '../errors.ts';
import { hasControlCharacter } from '../json/index.ts';
import { maxInt32 } from '../settings.ts';

/** A tenant. Everything belongs to a project, except platform keys. */
export interface Project {
  id: string;
  name: string;
  /** Runs that may execute at once; 0 for no limit. */
  concurrencyCeiling: number;
  suspended: boolean;
  createdAt: Date;
}

/** The columns of a `Project`. */
export const projectColumns = 'id, name, concurrency_ceiling, suspended_at is not null as suspended, created_at';

/** Throws `invalid`, naming the field, unless a name is readable text of 1 to 256 characters. */
export function checkName(field: string, name: unknown): asserts name is string {
  if (typeof name !== 'string' || name.trim() === '') throw invalid(`${field}: must be a non-blank string`);
  if (isLongerThan(name, maxNameLength)) throw invalid(`${field}: at most ${maxNameLength} characters`);
  if (hasControlCharacter(name)) throw invalid(`${field}: must not contain control characters`);
}

/** Throws `invalid` unless the value is a whole number from 0. 0 means no ceiling. */
export function checkCeiling(value: unknown): asserts value is number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxInt32) {
    throw invalid(`concurrencyCeiling: must be an integer from 0 (unlimited) to ${maxInt32}`);
  }
}

/**
 * 4.6, 8: a suspended project starts no runs, and refuses replays and bulk calls. Returns the
 * refusal; undefined if the project is active.
 */
export const suspensionOf = ({ suspended }: Pick<Project, 'suspended'>): HoldfastError | undefined =>
  suspended ? new HoldfastError('suspended', 'project is suspended') : undefined;
