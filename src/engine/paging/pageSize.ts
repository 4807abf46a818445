import { invalid } from '../errors.ts';
import { maxInt32 } from '../settings.ts';

export interface Sizes {
  /** The size of a page if the caller names none. */
  default: number;
  max: number;
}

/** Rows of a page, by kind of list. Larger requests are clamped (8). */
export const pageSizes = {
  usual: { default: 100, max: 1000 },
  runs: { default: 30, max: 200 },
  deliveries: { default: 30, max: 200 },
  sessions: { default: 100, max: 500 },
} as const;

/**
 * The size of a page. Throws `invalid`, naming the argument, unless `asked` is absent or a whole
 * number of at least 1.
 */
export function pageSize(asked: number | null | undefined, name: string, sizes: Sizes = pageSizes.usual): number {
  if (asked === null || asked === undefined) return sizes.default;
  if (!Number.isInteger(asked) || asked < 1) throw invalid(`${name} must be an integer of at least 1`);
  return Math.min(asked, sizes.max);
}

/** Seconds of a bucket (4.4). */
export const bucketSizes: Sizes = { default: 3600, max: maxInt32 };

/**
 * The width of the buckets of a time series, in seconds (4.4); default: an hour. Throws `invalid`
 * unless it is a whole number.
 */
export function bucketSeconds(asked: number | null | undefined): number {
  if (asked === null || asked === undefined) return bucketSizes.default;
  if (Number.isInteger(asked) && asked >= 1 && asked <= bucketSizes.max) return asked;
  throw invalid(`bucket must be an integer of seconds from 1 to ${bucketSizes.max}`);
}
