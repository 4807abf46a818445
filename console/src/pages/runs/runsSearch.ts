import type { RunFilter, RunSort, RunStatus, SortDirection } from '../../data/generated/graphql.ts';
import {
  flag,
  type Infer,
  instantOf,
  moment,
  object,
  oneOf,
  readBy,
  someOf,
  tags,
  text,
} from '../../router/searchFields.ts';

/** Statuses and sorts as the URL has them: in lower case. */
const statuses = [
  'queued',
  'running',
  'waiting',
  'paused',
  'needs_attention',
  'succeeded',
  'failed',
  'cancelled',
] as const;
const sorts = ['started', 'duration', 'status', 'workflow', 'app'] as const;

const runsSearch = object({
  status: someOf(statuses),
  workflow: text,
  app: text,
  since: moment,
  until: moment,
  q: text,
  deep: flag,
  version: text,
  session: text,
  event: text,
  bulk: text,
  group: text,
  parent: text,
  replay: text,
  roots: flag,
  tags,
  sort: oneOf(sorts),
  dir: oneOf(['asc', 'desc']),
});

export type RunsSearch = Infer<typeof runsSearch>;
export type StatusWord = (typeof statuses)[number];
export type SortWord = (typeof sorts)[number];

export const readRunsSearch = readBy(runsSearch);

export interface RunsVariables {
  filter: RunFilter;
  sort: RunSort | undefined;
  dir: SortDirection | undefined;
}

/** The variables of the list for the parameters of its URL. */
export function runsVariables(search: RunsSearch, now?: number): RunsVariables {
  return {
    filter: runFilterOf(search, now),
    sort: search.sort && (search.sort.toUpperCase() as RunSort),
    dir: search.dir && (search.dir.toUpperCase() as SortDirection),
  };
}

/** The filter of the list; bulk actions take the same one. */
export function runFilterOf(search: RunsSearch, now?: number): RunFilter {
  return definedOf({
    statuses: search.status?.map((word) => word.toUpperCase() as RunStatus),
    workflow: search.workflow,
    app: search.app,
    since: instantOf(search.since, now),
    until: instantOf(search.until, now),
    q: search.q,
    deep: search.q ? search.deep : undefined,
    version: search.version,
    session: search.session,
    eventId: search.event,
    bulkId: search.bulk,
    errorGroup: search.group,
    parentRunId: search.parent,
    replayOf: search.replay,
    rootOnly: search.roots,
    tags: search.tags && Object.entries(search.tags).map(([key, value]) => ({ key, value })),
  });
}

const definedOf = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;

const labels: Partial<Record<keyof RunsSearch, string>> = {
  workflow: 'workflow',
  app: 'app',
  since: 'since',
  until: 'until',
  q: 'text',
  version: 'version',
  session: 'session',
  event: 'event',
  bulk: 'bulk action',
  group: 'failure group',
  parent: 'parent',
  replay: 'replay of',
};

export interface FilterChip {
  name: string;
  value: string;
  /** The parameters without this filter. */
  without: RunsSearch;
}

/** The filters of the URL as chips. Sort and direction are no filters. */
export function filterChips(search: RunsSearch): FilterChip[] {
  const { status, tags: wantedTags, deep, roots } = search;
  const plain = Object.entries(labels).flatMap(([name, label]): FilterChip[] => {
    const value = search[name as keyof RunsSearch];
    return typeof value === 'string' ? [{ name: label, value, without: { ...search, [name]: undefined } }] : [];
  });
  return [
    ...(status ?? []).map((word) => ({
      name: 'status',
      value: word.replaceAll('_', ' '),
      without: { ...search, status: status?.filter((each) => each !== word) },
    })),
    ...plain,
    ...(deep && search.q ? [{ name: 'text', value: 'also in payloads', without: { ...search, deep: undefined } }] : []),
    ...(roots ? [{ name: 'runs', value: 'without children', without: { ...search, roots: undefined } }] : []),
    ...Object.entries(wantedTags ?? {}).map(([key, value]) => {
      const { [key]: _removed, ...rest } = wantedTags ?? {};
      return { name: key, value, without: { ...search, tags: Object.keys(rest).length > 0 ? rest : undefined } };
    }),
  ];
}
