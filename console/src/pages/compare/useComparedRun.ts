import { useEffect, useMemo, useState } from 'react';
import type { ComparedRunQuery } from '../../data/generated/graphql.ts';
import { usePages, useRead } from '../../data/queries.ts';
import type { Read } from '../../design/index.ts';
import type { ComparedStep } from './alignSteps.ts';
import { comparedRunDocument, comparedStepsDocument } from './compareDocuments.ts';

export type ComparedRun = NonNullable<ComparedRunQuery['run']>;

const stepsPerPage = 500;
/** An unfinished run is read again so often. */
const livePollMs = 5_000;

/** The head of a run; none is read without an id. */
export function useComparedRun(id: string | undefined): Read<ComparedRunQuery> {
  const [isLive, setLive] = useState(false);
  const read = useRead(
    comparedRunDocument,
    { id: id ?? '' },
    { isEnabled: id !== undefined, pollMs: isLive ? livePollMs : undefined },
  );
  const run = read.data?.run;
  const isUnfinished = run != null && run.endedAt == null;
  if (isUnfinished !== isLive) setLive(isUnfinished);
  return read;
}

interface ComparedSteps {
  steps: readonly ComparedStep[];
  read: Read<unknown>;
  /** Steps are still being read. */
  isPartial: boolean;
}

/** All steps of a run, page by page. */
export function useComparedSteps({ id, endedAt }: ComparedRun): ComparedSteps {
  const pages = usePages(
    comparedStepsDocument,
    { id, first: stepsPerPage },
    {
      pollMs: endedAt == null ? livePollMs : undefined,
      next: ({ run }) =>
        run?.stepPage.pageInfo.hasNextPage ? (run.stepPage.pageInfo.endCursor ?? undefined) : undefined,
    },
  );
  useEffect(() => {
    if (pages.hasMore && !pages.isLoadingMore) pages.loadMore();
  });
  const steps = useMemo(() => pages.data?.flatMap(({ run }) => run?.stepPage.nodes ?? []) ?? [], [pages.data]);
  return { steps, read: pages, isPartial: pages.data === undefined || pages.hasMore || pages.isOld };
}
