import DataLoader from 'dataloader';

/** Keys of one statement at most, so that its result stays bounded. */
const maxKeys = 200;

/** Loads one value per key: the keys of one tick together, and each once per request. */
export const loadEach = <Key, Value, CacheKey = Key>(
  fetch: (keys: readonly Key[]) => Promise<Map<CacheKey, Value>>,
  cacheKeyOf: (key: Key) => CacheKey,
  maxBatchSize = maxKeys,
): DataLoader<Key, Value | undefined, CacheKey> =>
  new DataLoader<Key, Value | undefined, CacheKey>(
    async (keys) => {
      const found = await fetch(keys);
      return keys.map((key) => found.get(cacheKeyOf(key)));
    },
    { cacheKeyFn: cacheKeyOf, maxBatchSize },
  );

/** The same for ids, which are their own cache keys. */
export const loadById = <Value>(
  fetch: (ids: readonly string[]) => Promise<Map<string, Value>>,
): DataLoader<string, Value | undefined> => loadEach(fetch, (id) => id);

/** Rows by their owners, in the order of the rows. */
export function groupBy<Row>(rows: readonly Row[], ownerOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(ownerOf(row));
    if (group) group.push(row);
    else groups.set(ownerOf(row), [row]);
  }
  return groups;
}

/** The run of a list, and the length of the list at most. */
export interface RelatedKey {
  runId: string;
  limit: number;
}

export const limitKey = ({ limit }: RelatedKey): string => `${limit}`;

/** A loader of lists with arguments: one statement per distinct set, as a document has few. */
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
