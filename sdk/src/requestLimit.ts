/** What a transport of requests may be told, however they come. */
export interface RequestLimit {
  /**
   * Bytes of one request, at most. Default: 64 MiB, which holds the 32 MiB that a service sends of
   * saved results with an event of any size beside them. Raise it where the service's
   * `MEMO_MAX_BYTES` was raised, or batches of large events come.
   */
  maxRequestBytes?: number | undefined;
}

export const defaultRequestBytes = 64 * 1024 * 1024;

/** The limit that is meant; throws a `TypeError` where it can be none. */
export function requestLimit({ maxRequestBytes = defaultRequestBytes }: RequestLimit): number {
  if (!Number.isSafeInteger(maxRequestBytes) || maxRequestBytes < 1)
    throw new TypeError('maxRequestBytes must be a whole number from 1');
  return maxRequestBytes;
}
