import { invalid } from '../errors.ts';

export interface PageSizeRule {
  /** The argument's name, for the error. */
  name: string;
  /** When none is asked for. */
  default: number;
  /** More than this is clamped (8). */
  max: number;
}

/** The size of a page. Throws `invalid` unless a whole number of at least 1 is asked for. */
export function pageSize(asked: number | null | undefined, rule: PageSizeRule): number {
  if (asked === null || asked === undefined) return rule.default;
  if (!Number.isInteger(asked) || asked < 1) throw invalid(`${rule.name} must be an integer of at least 1`);
  return Math.min(asked, rule.max);
}
