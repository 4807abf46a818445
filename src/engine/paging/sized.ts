/** A row whose payloads are read only as far as they were asked for. */
export interface Sized {
  /** What the payloads that were asked for hold, in bytes of UTF-8. */
  bytes: number;
  /** False where the rows up to this one hold more than was to be read: then no payload of it was. */
  isRead: boolean;
}

/** Reads payloads whatever they hold; 0 reads their sizes only. */
export const anySize = Number.MAX_SAFE_INTEGER;

/** How many bytes rows hold together. */
export const bytesOf = (rows: readonly Sized[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);
