/** One page of a keyset-paged list. */
export interface Page<Row> {
  rows: Row[];
  /** Whether more rows follow. */
  hasNext: boolean;
  /** The position of a row of this page. */
  cursorOf(row: Row): string;
}

/** Makes a page of `size` out of up to `size + 1` rows: the one too many says that more follow. */
export const toPage = <Row>(rows: readonly Row[], size: number, cursorOf: (row: Row) => string): Page<Row> => ({
  rows: rows.slice(0, size),
  hasNext: rows.length > size,
  cursorOf,
});
