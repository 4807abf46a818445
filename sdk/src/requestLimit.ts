/** A limit for every transport of requests. */
export interface RequestLimit {
  /**
   * The largest request, in bytes. Default: 64 MiB, which fits 32 MiB of saved results beside an
   * event of any size. Raise it with the service's `MEMO_MAX_BYTES`, or for batches of large
   * events.
   */
  maxRequestBytes?: number | undefined;
}

export const defaultRequestBytes = 64 * 1024 * 1024;

/** The limit to apply. Throws a `TypeError` for an invalid number. */
export function requestLimit({ maxRequestBytes = defaultRequestBytes }: RequestLimit): number {
  if (!Number.isSafeInteger(maxRequestBytes) || maxRequestBytes < 1)
    throw new TypeError('maxRequestBytes must be a whole number from 1');
  return maxRequestBytes;
}
