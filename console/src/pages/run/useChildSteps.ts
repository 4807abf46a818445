import { useMemo } from 'react';
import { useReads } from '../../data/queries.ts';
import { isFinal } from '../../design/index.ts';
import { childStepsDocument } from './stepDocuments.ts';
import type { ChildSteps } from './timelineRows.ts';

/** A child says by itself nothing to its parent's page: while it goes on, it is read so often. */
const pollMs = 3_000;

/** The steps of the children that are unfolded, read when they unfold. */
export function useChildSteps(ids: ReadonlySet<string>): ReadonlyMap<string, ChildSteps> {
  const list = useMemo(() => [...ids], [ids]);
  const variables = useMemo(() => list.map((id) => ({ id })), [list]);
  const reads = useReads(childStepsDocument, variables, {
    pollMs,
    isFinal: ({ run }) => !run || isFinal(run.status),
  });
  return new Map(
    list.map((id, at) => {
      const read = reads[at];
      const page = read?.data?.run?.stepPage;
      const isUnknown = read?.data !== undefined && !page;
      return [
        id,
        {
          steps: page?.nodes,
          hasMore: page?.pageInfo.hasNextPage ?? false,
          trouble: isUnknown ? 'The child was deleted' : page ? undefined : read?.trouble?.title,
        },
      ];
    }),
  );
}
