import DataLoader from 'dataloader';

/** Keys of one statement at most, so that what a single one brings stays bounded. */
const maxBatchSize = 200;

/** Loads one value per key; what is asked for in one tick is fetched together, and once per request. */
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
