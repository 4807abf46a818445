import { invalid } from '../errors.ts';

const hourSeconds = 3600;
const maxBucketSeconds = 2_147_483_647;

/** Width of the buckets of a time series, in seconds (4.4); an hour unless given. Throws `invalid` on what is no whole number. */
export function bucketSeconds(asked: number | null | undefined): number {
  if (asked === null || asked === undefined) return hourSeconds;
  if (Number.isInteger(asked) && asked >= 1 && asked <= maxBucketSeconds) return asked;
  throw invalid(`bucket must be an integer of seconds from 1 to ${maxBucketSeconds}`);
}
