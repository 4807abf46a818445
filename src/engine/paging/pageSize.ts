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

const hourSeconds = 3600;
const maxBucketSeconds = 2_147_483_647;

/** Width of the buckets of a time series, in seconds (4.4); an hour unless given. Throws `invalid` on what is no whole number. */
export function bucketSeconds(asked: number | null | undefined): number {
  if (asked === null || asked === undefined) return hourSeconds;
  if (Number.isInteger(asked) && asked >= 1 && asked <= maxBucketSeconds) return asked;
  throw invalid(`bucket must be an integer of seconds from 1 to ${maxBucketSeconds}`);
}
