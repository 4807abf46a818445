import type DataLoader from 'dataloader';
import { groupBy, loadEach } from './batch.ts';

/** What belongs to a run: at most so many. */
export interface RelatedKey {
  runId: string;
  limit: number;
}

export const limitKey = ({ limit }: RelatedKey): string => `${limit}`;

/** A loader of lists that take arguments: one statement per distinct set of arguments, which a document has few of. */
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
