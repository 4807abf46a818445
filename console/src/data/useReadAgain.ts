import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Coalescer } from './coalescer.ts';
import type { Document } from './graphql.ts';
import { refresh } from './queries.ts';

/** A list is read again so often at most, however many changes arrive. */
const intervalMs = 2_000;

/** Reads documents again soon after a change, as far as the page shows them. */
export function useReadAgain(documents: readonly Document<unknown, never>[]): () => void {
  const client = useQueryClient();
  const names = documents.join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names stand for the documents.
  const coalescer = useMemo(
    () => new Coalescer<true>({ intervalMs, apply: () => void refresh(client, documents) }),
    [client, names],
  );
  useEffect(() => () => coalescer.stop(), [coalescer]);
  return () => coalescer.add('changed', true);
}
