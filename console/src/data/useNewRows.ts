import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Document } from './graphql.ts';
import { ask, type KeptPage, type PagedRead, useScope } from './queries.ts';
import { Soon } from './soon.ts';
import { useLiveState } from './useFollow.ts';

interface NewRowsOptions<Answer> {
  /** The list, as `usePages` reads it with the same document and variables. */
  pages: PagedRead<Answer>;
  idsOf: (page: Answer) => readonly string[];
}

interface NewRows {
  /** Rows that match, and that the list does not show yet; at most one page of them. */
  count: number;
  /** Takes the new rows in; the list begins anew from its top. */
  show: () => void;
  /** Something has changed, or may have been missed. */
  notice: () => void;
}

/**
 * The rows that a list lacks. A change reads the first page again soon, with all filters of the
 * list; so does a socket that comes to life, because what happened before was not sent.
 */
export function useNewRows<Answer, Variables extends { after?: string | number | null | undefined }>(
  document: Document<Answer, Variables>,
  variables: Omit<Variables, 'after'>,
  { pages, idsOf }: NewRowsOptions<Answer>,
): NewRows {
  const client = useQueryClient();
  const scope = useScope();
  const of = JSON.stringify([scope, variables]);
  const [known, setKnown] = useState<{ of: string; head: KeptPage<Answer> }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the variables.
  const soon = useMemo(
    () =>
      new Soon({
        run: async () => {
          const askedAt = Date.now();
          const page = await ask(document, variables as Variables);
          setKnown((before) =>
            before?.of === of && before.head.askedAt > askedAt ? before : { of, head: { page, askedAt } },
          );
        },
      }),
    [document, of],
  );
  useEffect(() => {
    soon.start();
    return () => soon.stop();
  }, [soon]);
  const isLive = useLiveState() === 'live';
  useEffect(() => {
    if (isLive) soon.ask();
  }, [isLive, soon]);

  const head = known?.of === of ? known.head : undefined;
  const isCurrent = pages.data !== undefined && !pages.isOld;
  const shown = new Set(pages.data?.flatMap(idsOf));
  return {
    count: head && isCurrent ? idsOf(head.page).filter((id) => !shown.has(id)).length : 0,
    show: () => {
      if (!head) return;
      client.setQueryData([scope, String(document), variables], { pages: [head], pageParams: [undefined] });
    },
    notice: () => soon.ask(),
  };
}
