import { useDeferredValue, useMemo } from 'react';
import type { LogLevel } from '../../data/generated/graphql.ts';
import { type PagedRead, usePages } from '../../data/queries.ts';
import type { Line } from './LogLine.tsx';
import { firstLogsDocument, logsDocument } from './runDocuments.ts';
import type { RunSearch } from './runSearch.ts';

const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'];

/** A person who wants more asks for the next page. */
const pageSize = 1000;

export interface LogLines {
  pages: PagedRead<unknown>;
  /** The lines read so far, in the order that the search asks for. */
  lines: readonly Line[];
  isFiltered: boolean;
}

/** Reads log lines from the end that the search names, page by page. The service filters. */
export function useLogLines({ id, isLive, search }: { id: string; isLive: boolean; search: RunSearch }): LogLines {
  const least = levels.indexOf((search.level ?? 'debug').toUpperCase());
  const isNewestFirst = search.order === 'newest';
  const isFromFirst = search.from === 'first';
  const pages = usePages(
    isFromFirst ? firstLogsDocument : logsDocument,
    {
      id,
      size: pageSize,
      levels: least > 0 ? (levels.slice(least) as LogLevel[]) : undefined,
      q: useDeferredValue(search.find),
      scope: search.scope,
    },
    {
      next: ({ run }) => (isFromFirst ? run?.logPage.nextFrom : run?.logPage.nextBefore) ?? undefined,
      pollMs: isLive ? 2_000 : undefined,
    },
  );
  const lines = useMemo(() => {
    const read = (pages.data ?? []).flatMap(({ run }) => run?.logPage.nodes ?? []);
    return read.sort((one, other) => (isNewestFirst ? other.seq - one.seq : one.seq - other.seq));
  }, [pages.data, isNewestFirst]);
  return { pages, lines, isFiltered: least > 0 || Boolean(search.find) || Boolean(search.scope) };
}
