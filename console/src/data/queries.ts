import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import type { Read, Trouble } from '../design/Panel.tsx';
import { tell } from '../design/toasts.ts';
import { onCredentialsChange, presentCredentials, presentScope, refuseKey } from './credentials.ts';
import type { Document } from './graphql.ts';
import { request } from './request.ts';
import { asRequestError, explain, RequestError } from './requestError.ts';

/** The cache of answers. Their keys are `[scope, document, variables]`. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      gcTime: 120_000,
      retry: (tries, error) => asRequestError(error).isPassing && tries < 6,
      retryDelay: (tries) => Math.min(30_000, 800 * 2 ** tries) * (0.6 + Math.random() * 0.8),
    },
  },
});

/** Runs a document with the present key. A refused key ends the session. */
export async function ask<Answer, Variables>(
  document: Document<Answer, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Answer> {
  const credentials = presentCredentials();
  if (!credentials) throw new RequestError('UNAUTHENTICATED', 'signed out');
  try {
    return await request(document, { credentials, variables, signal });
  } catch (error) {
    if (asRequestError(error).code === 'UNAUTHENTICATED') refuseKey(credentials.key, asRequestError(error).message);
    throw error;
  }
}

interface ReadOptions {
  /** Reads again so often, while the tab is visible. */
  pollMs?: number | undefined;
  isEnabled?: boolean;
  /** The answer holds payloads: it is not compared with the earlier one. */
  hasPayloads?: boolean;
  /** The answer stays as it is: it is not read again on focus. */
  isFixed?: boolean;
}

/** Reads a document, and reads it again on focus. The state feeds an `Answer`. */
export function useRead<Answer, Variables>(
  document: Document<Answer, Variables>,
  variables: Variables,
  { pollMs, isEnabled = true, hasPayloads = false, isFixed = false }: ReadOptions = {},
): Read<Answer> {
  const scope = useScope();
  const query = useQuery({
    queryKey: [scope, String(document), variables],
    queryFn: ({ signal }) => ask(document, variables, signal),
    enabled: isEnabled && scope !== '',
    refetchInterval: pollMs ?? false,
    placeholderData: keepPreviousData,
    structuralSharing: !hasPayloads,
    ...(isFixed && { staleTime: Number.POSITIVE_INFINITY }),
  });
  const failure = query.error ?? query.failureReason;
  return {
    data: query.data,
    trouble: failure ? explain(failure) : undefined,
    isOld: query.isPlaceholderData,
    retry: () => void query.refetch(),
  };
}

interface ReadsOptions<Answer> {
  pollMs: number;
  /** An answer that will not change: it is not read again. */
  isFinal: (answer: Answer) => boolean;
}

/** Reads a document once for each set of variables. */
export function useReads<Answer, Variables>(
  document: Document<Answer, Variables>,
  list: readonly Variables[],
  { pollMs, isFinal }: ReadsOptions<Answer>,
): Read<Answer>[] {
  const scope = useScope();
  const queries = useQueries({
    queries: list.map((variables) => ({
      queryKey: [scope, String(document), variables],
      queryFn: ({ signal }: { signal: AbortSignal }) => ask(document, variables, signal),
      enabled: scope !== '',
      refetchInterval: ({ state: { data } }: { state: { data: Answer | undefined } }) =>
        data !== undefined && isFinal(data) ? (false as const) : pollMs,
    })),
  });
  return queries.map((query) => {
    const failure = query.error ?? query.failureReason;
    return {
      data: query.data,
      trouble: failure ? explain(failure) : undefined,
      isOld: false,
      retry: () => void query.refetch(),
    };
  });
}

/** A list that grows page by page. */
export interface PagedRead<Page> extends Read<Page[]> {
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  /** When each page was asked for, by the clock of this tab, in ms. */
  askedAt: readonly number[];
}

/** A page as the cache keeps it. */
export interface KeptPage<Page> {
  page: Page;
  askedAt: number;
}

interface PagedOptions<Page, Cursor> {
  /** The cursor of the next page; undefined at the end. */
  next: (page: Page) => Cursor | undefined;
  pollMs?: number | undefined;
}

/** Reads a list whose variables take `after`. */
export function usePages<Answer, Variables extends { after?: string | number | null | undefined }>(
  document: Document<Answer, Variables>,
  variables: Omit<Variables, 'after'>,
  { next, pollMs }: PagedOptions<Answer, NonNullable<Variables['after']>>,
): PagedRead<Answer> {
  const scope = useScope();
  const query = useInfiniteQuery({
    queryKey: [scope, String(document), variables],
    queryFn: async ({ signal, pageParam }): Promise<KeptPage<Answer>> => {
      const askedAt = Date.now();
      return { page: await ask(document, { ...variables, after: pageParam } as Variables, signal), askedAt };
    },
    initialPageParam: undefined as Variables['after'],
    getNextPageParam: ({ page }) => next(page),
    refetchInterval: pollMs ?? false,
    enabled: scope !== '',
    placeholderData: keepPreviousData,
  });
  const failure = query.error ?? query.failureReason;
  const kept = query.data?.pages;
  return {
    data: useMemo(() => kept?.map(({ page }) => page), [kept]),
    askedAt: useMemo(() => kept?.map(({ askedAt }) => askedAt) ?? [], [kept]),
    trouble: failure ? explain(failure) : undefined,
    isOld: query.isPlaceholderData,
    retry: () => void query.refetch(),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
    },
  };
}

interface ActOptions<Answer> {
  /** Documents whose answers the action changes. */
  refreshes: readonly Document<unknown, never>[];
  /** The text that tells that it is done. */
  done?: (answer: Answer) => string;
  onDone?: (answer: Answer) => void;
  /** The dialog shows the error itself. */
  isQuiet?: boolean;
}

export interface Act<Variables> {
  act: (variables: Variables) => void;
  isBusy: boolean;
  error: RequestError | undefined;
  trouble: Trouble | undefined;
  reset: () => void;
}

/** Runs a mutation once, and reads again what it changes. After a conflict, too. */
export function useAct<Answer, Variables>(
  document: Document<Answer, Variables>,
  { refreshes, done, onDone, isQuiet = false }: ActOptions<Answer>,
): Act<Variables> {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (variables: Variables) => ask(document, variables),
    onSuccess: (answer) => {
      if (done) tell(done(answer));
      onDone?.(answer);
    },
    onError: (error) => {
      const { title, detail } = explain(error);
      if (!isQuiet) tell(title, { detail, isFailure: true });
    },
    onSettled: () => refresh(client, refreshes),
  });
  return {
    act: (variables) => {
      if (!mutation.isPending) mutation.mutate(variables);
    },
    isBusy: mutation.isPending,
    error: mutation.error ? asRequestError(mutation.error) : undefined,
    trouble: mutation.error ? explain(mutation.error) : undefined,
    reset: () => mutation.reset(),
  };
}

/** Reads the answers of some documents again, as far as the page shows them. */
export function refresh(client: QueryClient, documents: readonly Document<unknown, never>[]): Promise<void> {
  const names = new Set(documents.map(String));
  return client.invalidateQueries({ predicate: ({ queryKey }) => names.has(String(queryKey[1])) });
}

export const useScope = (): string => useSyncExternalStore(onCredentialsChange, presentScope);
