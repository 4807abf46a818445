import type DataLoader from 'dataloader';
import { loadEach } from './batch.ts';

/** A payload column of a row. */
export interface ColumnKey<Column extends string> {
  id: string;
  column: Column;
}

/**
 * Loads columns of rows: one statement per tick, for all rows and columns asked for in it. `fetch` is told which columns
 * somebody wants, and leaves the others where they are.
 */
export function loadColumns<Column extends string, Value>(
  fetch: (
    ids: readonly string[],
    wants: (column: Column) => boolean,
  ) => Promise<Map<string, Readonly<Record<Column, Value>>>>,
): DataLoader<ColumnKey<Column>, Value | undefined, string> {
  const cacheKeyOf = ({ id, column }: ColumnKey<Column>): string => `${column} ${id}`;
  return loadEach(async (keys) => {
    const columns = new Set(keys.map((key) => key.column));
    const rows = await fetch([...new Set(keys.map((key) => key.id))], (column) => columns.has(column));
    const values = new Map<string, Value>();
    for (const key of keys) {
      const row = rows.get(key.id);
      if (row) values.set(cacheKeyOf(key), row[key.column]);
    }
    return values;
  }, cacheKeyOf);
}
