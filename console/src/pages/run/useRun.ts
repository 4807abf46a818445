import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { RunQuery } from '../../data/generated/graphql.ts';
import { refresh, usePages, useRead } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { isFinal, type Read } from '../../design/index.ts';
import { type StepFrame, withFrames } from './frames.ts';
import type { Step } from './lanes.ts';
import { firstLogsDocument, logsDocument, runDocument } from './runDocuments.ts';
import { framesDocument, stepDocument, stepsDocument } from './stepDocuments.ts';

export type RunHead = NonNullable<RunQuery['run']>;

const stepsPerPage = 1000;
/** The run's head is read again at most so often, however fast its steps are. */
const headEveryMs = 1_000;
/** A run that waits says for what: holders change without a frame of the run. */
const waitPollMs = 5_000;

const changedByFrames = [runDocument, stepDocument, logsDocument, firstLogsDocument] as never;

export interface RunView {
  read: Read<RunQuery>;
  run: RunHead | null | undefined;
  steps: Step[];
  stepsRead: Read<unknown>;
  /** Steps are still being read. */
  isPartial: boolean;
}

/** A run with its steps, live until it ends. A run that has ended is never polled. */
export function useRun(id: string): RunView {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);
  const read = useRead(runDocument, { id }, { pollMs: isLive ? waitPollMs : undefined });
  const run = read.data?.run;
  const pages = usePages(
    stepsDocument,
    { id, first: stepsPerPage },
    {
      next: (page) =>
        page.run?.stepPage.pageInfo.hasNextPage ? (page.run.stepPage.pageInfo.endCursor ?? undefined) : undefined,
    },
  );
  useEffect(() => {
    // After trouble the person decides when to read on, or the page would ask without end.
    if (pages.hasMore && !pages.isLoadingMore && !pages.trouble) pages.loadMore();
  });
  const isUnfinished = run != null && !isFinal(run.status);
  if (isUnfinished !== isLive) setLive(isUnfinished);

  const [frames, setFrames] = useState<readonly StepFrame[]>([]);
  const from = useRef<{ id: string; seq: number }>(undefined);
  if (run && from.current?.id !== id) from.current = { id, seq: run.seq };
  const soon = useSoon(headEveryMs, () => void refresh(client, changedByFrames));
  // biome-ignore lint/correctness/useExhaustiveDependencies: frames belong to one run.
  useEffect(() => setFrames([]), [id]);
  useFollow(
    framesDocument,
    { runId: id, from: from.current?.seq ?? 0, kinds: ['RUN_STATUS', 'STEP_STATUS'] },
    {
      isEnabled: isUnfinished,
      hasEnd: true,
      onMessage: ({ runFrames: frame }) => {
        setFrames((known) => (frame.seq <= (known.at(-1)?.seq ?? 0) ? known : [...known, frame]));
        soon();
      },
      onGap: () => void refresh(client, [runDocument, stepsDocument] as never),
    },
  );

  // The next page is asked for before this one is drawn.
  const latest = useMemo(() => ({ id, pages: pages.data }), [id, pages.data]);
  const deferred = useDeferredValue(latest);
  const { pages: drawn } = deferred.id === id ? deferred : latest;
  const readSteps = useMemo(() => drawn?.flatMap((page) => page.run?.stepPage.nodes ?? []) ?? [], [drawn]);
  const steps = useMemo(() => withFrames<Step>(readSteps, frames), [readSteps, frames]);
  return { read, run, steps, stepsRead: pages, isPartial: pages.hasMore || drawn?.length !== pages.data?.length };
}

/** Calls back a while after it was asked, once for many askings. */
function useSoon(delayMs: number, run: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, delayMs);
  };
}
