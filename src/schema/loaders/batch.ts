import DataLoader from 'dataloader';
import { anySize, bytesOf, type Sized } from '../../engine/paging/index.ts';
import type { AnswerMeter } from './answerMeter.ts';

/** Keys of one statement at most, so that what a single one brings stays bounded. */
const maxBatchSize = 200;

/**
 * Loads one value per key; what is asked for in one tick is fetched together, and once per request.
 */
export const loadEach = <Key, Value, CacheKey = Key>(
  fetch: (keys: readonly Key[]) => Promise<Map<CacheKey, Value>>,
  cacheKeyOf: (key: Key) => CacheKey,
): DataLoader<Key, Value | undefined, CacheKey> =>
  new DataLoader<Key, Value | undefined, CacheKey>(
    async (keys) => {
      const found = await fetch(keys);
      return keys.map((key) => found.get(cacheKeyOf(key)));
    },
    { cacheKeyFn: cacheKeyOf, maxBatchSize },
  );

/** As `loadEach`, for keys that are their own cache keys. */
export const loadById = <Value>(
  fetch: (ids: readonly string[]) => Promise<Map<string, Value>>,
): DataLoader<string, Value | undefined> => loadEach(fetch, (id) => id);

/** Rows by what they belong to, in the order in which they came. */
export function groupBy<Row>(rows: readonly Row[], ownerOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(ownerOf(row));
    if (group) group.push(row);
    else groups.set(ownerOf(row), [row]);
  }
  return groups;
}

/** What belongs to a run: at most so many. */
export interface RelatedKey {
  runId: string;
  limit: number;
}

export const limitKey = ({ limit }: RelatedKey): string => `${limit}`;

/**
 * A loader of lists that take arguments: one statement per distinct set of arguments, which a
 * document has few of.
 */
export function perArguments<Key extends RelatedKey, Row>(
  argumentsKey: (key: Key) => string,
  fetch: (runIds: readonly string[], key: Key) => Promise<Map<string, Row[]>>,
): DataLoader<Key, Row[] | undefined, string> {
  const cacheKeyOf = (key: Key): string => `${key.runId} ${argumentsKey(key)}`;
  return loadEach(async (keys) => {
    const lists = new Map<string, Row[]>();
    for (const group of groupBy(keys, argumentsKey).values()) {
      const [first] = group;
      if (!first) continue;
      const found = await fetch([...new Set(group.map((key) => key.runId))], first);
      for (const key of group) lists.set(cacheKeyOf(key), found.get(key.runId) ?? []);
    }
    return lists;
  }, cacheKeyOf);
}

/** A payload column of something. */
export interface ColumnKey<Owner, Column extends string> {
  of: Owner;
  column: Column;
}

/**
 * Loads payload columns: one statement per tick, for all owners and columns asked for in it.
 * `fetch` is told which columns somebody wants, leaves the others where they are, and answers by
 * `nameOf` the owner.
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

/** What is read without asking, in bytes: nearly all payloads there are. */
const smallBytes = 64 * 1024;

/**
 * Reads rows with payloads by one statement; by two where they are large, as it takes their sizes
 * to know whether the answer has room for them. `fetch` reads at most so many bytes.
 */
export async function readPayloads<Row extends Sized>(
  meter: AnswerMeter,
  fetch: (maxBytes: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows = await fetch(smallBytes);
  const bytes = bytesOf(rows);
  meter.load(bytes);
  if (rows.every(({ isRead }) => isRead)) return rows;
  await meter.makeRoom(bytes);
  return fetch(anySize);
}
