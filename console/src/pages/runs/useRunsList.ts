import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { RunsQuery } from '../../data/generated/graphql.ts';
import { ask, type KeptPage, type PagedRead, usePages, useScope } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { countNew, LiveRuns, patched, renewed } from './liveRuns.ts';
import { runStatusChangedDocument, runsDocument } from './runsDocuments.ts';
import { type RunsSearch, runsVariables } from './runsSearch.ts';

export type RunRow = RunsQuery['runs']['nodes'][number];

const pageSize = 50;

export interface RunsList {
  pages: PagedRead<RunsQuery>;
  rows: RunRow[];
  /** Runs that match, and that the list does not show yet. */
  newCount: number;
  /** Takes the new runs in; the list begins anew from its top. */
  showNew: () => void;
}

/** The list of runs, live: rows change in place, new rows wait until they are asked for. */
export function useRunsList(search: RunsSearch): RunsList {
  const client = useQueryClient();
  const scope = useScope();
  const key = JSON.stringify(search);
  // Relative times become instants once, or each rendering would ask anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search.
  const variables = useMemo(() => ({ ...runsVariables(search), first: pageSize }), [key]);
  const pages = usePages(runsDocument, variables, {
    next: ({ runs }) => (runs.pageInfo.hasNextPage ? (runs.pageInfo.endCursor ?? undefined) : undefined),
  });

  const [head, setHead] = useState<{ of: string; page: RunsQuery; askedAt: number }>();
  const live = useMemo(
    () =>
      new LiveRuns({
        readHead: () => {
          const of = JSON.stringify(variables);
          const askedAt = Date.now();
          return ask(runsDocument, variables).then((page) => setHead({ of, page, askedAt }));
        },
      }),
    [variables],
  );
  useEffect(() => {
    live.start();
    return () => live.stop();
  }, [live]);
  const changes = useSyncExternalStore(live.subscribe, live.changes);
  useFollow(
    runStatusChangedDocument,
    { app: search.app, workflow: search.workflow },
    {
      onMessage: ({ runStatusChanged: { runId, ...change } }) => live.add(runId, change),
      onGap: () => live.noteGap(),
    },
  );

  const present = head && head.of === JSON.stringify(variables) ? head : undefined;
  const headRows = present?.page.runs.nodes;
  const loaded = useMemo(() => pages.data?.flatMap(({ runs }) => runs.nodes) ?? [], [pages.data]);
  const rows = useMemo(() => {
    const askedAt = new Map<string, number>();
    for (const [at, { runs }] of (pages.data ?? []).entries())
      for (const { id } of runs.nodes) askedAt.set(id, pages.askedAt[at] ?? 0);
    // Pages are read again on focus, and may be newer than the head.
    const newer = present?.page.runs.nodes.filter(({ id }) => present.askedAt > (askedAt.get(id) ?? 0));
    for (const { id } of newer ?? []) askedAt.set(id, present?.askedAt ?? 0);
    return renewed(loaded, newer).map((row) => patched(row, changes.get(row.id), askedAt.get(row.id) ?? 0));
  }, [loaded, pages.data, pages.askedAt, present, changes]);
  return {
    pages,
    rows,
    newCount: pages.data && !pages.isOld ? countNew(loaded, headRows) : 0,
    showNew: () => {
      if (!head) return;
      live.clear();
      client.setQueryData([scope, String(runsDocument), variables], {
        pages: [{ page: head.page, askedAt: head.askedAt } satisfies KeptPage<RunsQuery>],
        pageParams: [undefined],
      });
    },
  };
}
