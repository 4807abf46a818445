import { useMemo } from 'react';
import type { StepAttemptsQuery } from '../../data/generated/graphql.ts';
import { useReads } from '../../data/queries.ts';
import { isFinal } from '../../design/index.ts';
import { attemptsDocument } from './stepDocuments.ts';
import type { AttemptErrors } from './timelineRows.ts';

/** While the run of a step goes on, a further attempt may fail: the errors are read so often. */
const pollMs = 3_000;

/** The errors of unfolded attempts by `attemptsKey`, read when they unfold. */
export function useAttempts(ownId: string, keys: ReadonlySet<string>): ReadonlyMap<string, AttemptErrors> {
  const list = useMemo(() => [...keys], [keys]);
  const variables = useMemo(
    () =>
      list.map((key) => {
        const [id, index] = key.split(' ');
        return { id: id || ownId, index: Number(index) };
      }),
    [list, ownId],
  );
  const reads = useReads(attemptsDocument, variables, {
    pollMs,
    isFinal: ({ run }) => !run || isFinal(run.status),
  });
  return new Map(
    list.map((key, at) => {
      const read = reads[at];
      return [
        key,
        { errors: read?.data && errorsOf(read.data), trouble: read?.data ? undefined : read?.trouble?.title },
      ];
    }),
  );
}

function errorsOf({ run }: StepAttemptsQuery): ReadonlyMap<number, string> {
  const failed = run?.stepPage.nodes.flatMap(({ attempt, error }) => (error ? [{ attempt, error }] : []));
  return new Map(
    failed?.map(({ attempt, error: { name, message } }) => [attempt, name ? `${name}: ${message}` : message]),
  );
}
