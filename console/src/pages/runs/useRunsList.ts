import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { RunsQuery, RunsQueryVariables } from '../../data/generated/graphql.ts';
import { ask, type KeptPage, type PagedRead, usePages, useScope } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { countNew, LiveRuns, pagesWith, patched, renewed } from './liveRuns.ts';
import { runStatusChangesDocument, runsDocument } from './runsDocuments.ts';
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
  /** Tells which rows are on screen. */
  noteShown: (ids: readonly string[]) => void;
}

/** Pages that were read again: the first one, and those on screen after a gap. */
interface Fresh {
  /** The variables of the list that it belongs to. */
  of: string;
  head: KeptPage<RunsQuery>;
  shown: readonly KeptPage<RunsQuery>[];
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

  const [known, setKnown] = useState<Fresh>();
  const onScreen = useRef<OnScreen>({ pages: [], ids: [] });
  useEffect(() => {
    onScreen.current.pages = pages.data ?? [];
  });
  const live = useMemo(
    () =>
      new LiveRuns({
        read: async (isAfterGap) => {
          const fresh = await readFresh(variables, isAfterGap ? cursorsOf(onScreen.current) : []);
          setKnown((before) => (isAfterGap || before?.of !== fresh.of ? fresh : { ...fresh, shown: before.shown }));
        },
      }),
    [variables],
  );
  useEffect(() => {
    live.start();
    return () => live.stop();
  }, [live]);
  const changes = useSyncExternalStore(live.subscribe, live.changes);
  const place = useRef<Place>({ of: '', cursor: undefined });
  const { app, workflow } = search;
  const stream = JSON.stringify([scope, app, workflow]);
  useFollow(
    runStatusChangesDocument,
    { app, workflow },
    {
      onMessage: ({ runStatusChanges: { changes: told, cursor, isGap } }) => {
        for (const { runId, ...change } of told) live.add(runId, change);
        // The first message tells that the stream has begun. The next read has what changed before.
        if (isGap || place.current.of !== stream) live.noteGap();
        place.current = { of: stream, cursor };
      },
      resume: () => ({ after: place.current.of === stream ? place.current.cursor : undefined }),
    },
  );

  const fresh = known?.of === JSON.stringify(variables) ? known : undefined;
  const loaded = useMemo(() => pages.data?.flatMap(({ runs }) => runs.nodes) ?? [], [pages.data]);
  const rows = useMemo(() => {
    const askedAt = new Map<string, number>();
    for (const [at, { runs }] of (pages.data ?? []).entries())
      for (const { id } of runs.nodes) askedAt.set(id, pages.askedAt[at] ?? 0);
    // Pages are read again on focus, and may be newer than what was read since.
    const newer = (fresh ? [fresh.head, ...fresh.shown] : []).flatMap((kept) =>
      kept.page.runs.nodes.filter(({ id }) => {
        if (kept.askedAt <= (askedAt.get(id) ?? 0)) return false;
        askedAt.set(id, kept.askedAt);
        return true;
      }),
    );
    return renewed(loaded, newer).map((row) => patched(row, changes.get(row.id), askedAt.get(row.id) ?? 0));
  }, [loaded, pages.data, pages.askedAt, fresh, changes]);
  return {
    pages,
    rows,
    newCount: pages.data && !pages.isOld ? countNew(loaded, fresh?.head.page.runs.nodes) : 0,
    showNew: () => {
      if (!fresh) return;
      live.clear();
      const first = { pages: [fresh.head], pageParams: [undefined] };
      client.setQueryData([scope, String(runsDocument), variables], first);
    },
    noteShown: (ids) => {
      onScreen.current.ids = ids;
    },
  };
}

/** Where a stream of changes has come to. */
interface Place {
  of: string;
  cursor: string | undefined;
}

interface OnScreen {
  pages: readonly RunsQuery[];
  ids: readonly string[];
}

/** The cursors of the pages on screen, without the first, which is always read. */
const cursorsOf = ({ pages, ids }: OnScreen): string[] =>
  pagesWith(
    pages.map(({ runs }) => runs.nodes),
    new Set(ids),
  ).flatMap((index) => pages[index - 1]?.runs.pageInfo.endCursor ?? []);

async function readFresh(variables: Omit<RunsQueryVariables, 'after'>, cursors: readonly string[]): Promise<Fresh> {
  const askedAt = Date.now();
  const read = async (after?: string): Promise<KeptPage<RunsQuery>> => ({
    page: await ask(runsDocument, after === undefined ? variables : { ...variables, after }),
    askedAt,
  });
  const [head, ...shown] = await Promise.all([read(), ...cursors.map((cursor) => read(cursor))]);
  return { of: JSON.stringify(variables), head, shown };
}
