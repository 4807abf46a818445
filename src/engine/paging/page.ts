export interface Page<Row> {
  rows: Row[];
  /** Whether more rows follow. */
  hasNext: boolean;
  /** The cursor of a row of this page. */
  cursorOf(row: Row): string;
}

/** Makes a page of `size` from up to `size + 1` rows. The extra row shows that more follow. */
export const toPage = <Row>(rows: readonly Row[], size: number, cursorOf: (row: Row) => string): Page<Row> => ({
  rows: rows.slice(0, size),
  hasNext: rows.length > size,
  cursorOf,
});

/** So few rows always fit: no payload is much larger than a request, a megabyte. */
const alwaysFit = 4;
/** Rows whose sizes are read first, and twice as many each time: most pages take one statement. */
const firstLook = 200;

/**
 * Ends a page early if the payloads of its rows hold more than `maxBytes`; one row is left at
 * least. `sizesOf` answers the bytes of rows in their order, and is not asked about rows far
 * beyond the end.
 */
export async function fitPage<Row>(
  page: Page<Row>,
  maxBytes: number,
  sizesOf: (rows: readonly Row[]) => Promise<readonly number[]>,
): Promise<Page<Row>> {
  const { rows } = page;
  if (rows.length <= alwaysFit) return page;
  let bytes = 0;
  for (let start = 0, many = firstLook; start < rows.length; start += many, many *= 2) {
    const sizes = await sizesOf(rows.slice(start, start + many));
    for (const [offset, size] of sizes.entries()) {
      bytes += size;
      const end = start + offset;
      if (bytes > maxBytes && end > 0) return { ...page, rows: rows.slice(0, end), hasNext: true };
    }
  }
  return page;
}

/** A row whose payloads were read only if they were small. */
export interface Sized {
  /** The size of the payloads that were asked for, in bytes of UTF-8. */
  bytes: number;
  /** False if the rows up to this one exceed what may be read: then it has no payload. */
  isRead: boolean;
}

/** Reads payloads of any size. A limit of 0 reads only their sizes. */
export const anySize = Number.MAX_SAFE_INTEGER;

export const bytesOf = (rows: readonly Sized[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);
