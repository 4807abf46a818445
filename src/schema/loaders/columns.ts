import type DataLoader from 'dataloader';
import { loadEach } from './batch.ts';

/** A payload column of something. */
export interface ColumnKey<Owner, Column extends string> {
  of: Owner;
  column: Column;
}

/**
 * Loads payload columns: one statement per tick, for all owners and columns asked for in it. `fetch` is told which columns
 * somebody wants, leaves the others where they are, and answers by `nameOf` the owner.
 */
export function loadColumns<Owner, Column extends string, Value>(
  nameOf: (owner: Owner) => string,
  fetch: (
    owners: readonly Owner[],
    wants: (column: Column) => boolean,
  ) => Promise<Map<string, Readonly<Record<Column, Value>>>>,
): DataLoader<ColumnKey<Owner, Column>, Value | undefined, string> {
  const cacheKeyOf = ({ of, column }: ColumnKey<Owner, Column>): string => `${column} ${nameOf(of)}`;
  return loadEach(async (keys) => {
    const columns = new Set(keys.map((key) => key.column));
    const owners = new Map(keys.map(({ of }) => [nameOf(of), of]));
    const rows = await fetch([...owners.values()], (column) => columns.has(column));
    const values = new Map<string, Value>();
    for (const key of keys) {
      const row = rows.get(nameOf(key.of));
      if (row) values.set(cacheKeyOf(key), row[key.column]);
    }
    return values;
  }, cacheKeyOf);
}

export const byId = (id: string): string => id;
