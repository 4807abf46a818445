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

/** The payloads of so few rows always fit: each is about a megabyte at most, like a request. */
const alwaysFit = 4;
/** The number of rows in the first look-up of sizes. Each next one doubles the number. */
const firstLook = 50;

/**
 * Shortens a page whose payloads hold more than `maxBytes`, but not below one row. `sizesOf`
 * returns the bytes of rows in order. Rows far beyond the end are not looked up.
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

/** A row that reads only the requested payloads. */
export interface Sized {
  /** The size of the requested payloads, in bytes of UTF-8. */
  bytes: number;
  /** False if the rows up to this one exceed the limit. Then none of its payloads was read. */
  isRead: boolean;
}

/** Reads payloads of any size. A limit of 0 reads only their sizes. */
export const anySize = Number.MAX_SAFE_INTEGER;

export const bytesOf = (rows: readonly Sized[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);
