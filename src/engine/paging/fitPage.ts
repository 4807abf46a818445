import type { Page } from './page.ts';

/** Payloads of so few rows always fit: none is much larger than a request, a megabyte. */
const alwaysFit = 4;
/** Rows whose sizes are looked up first; each time twice as many. */
const firstLook = 50;

/**
 * A page that ends early where the payloads of its rows hold more than `maxBytes`, with at least one row. `sizesOf` tells
 * the bytes of rows in their order, and is not asked about rows far beyond the end.
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
