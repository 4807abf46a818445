import type { ApprovalStatus } from '../../engine/approvals/index.ts';
import { runStatusFilters } from '../../engine/runs/index.ts';
import {
  type DocumentRoute,
  endOfPage,
  listApprovals,
  listApps,
  listEvents,
  listRuns,
  listWorkflows,
  valueAt,
} from '../../rest/index.ts';
import { visible } from '../answer/visible.ts';
import { readRoute } from '../catalog/readRoute.ts';
import type { McpCall } from '../declare/tool.ts';
import { readPages } from '../library/pages.ts';

/** Values with which an argument may go on, of the key's project only. */
export interface Completion {
  values: string[];
  hasMore: boolean;
}

/** Completes what was typed of an argument. `given` are the arguments that are known already. */
export type Completer = (call: McpCall, typed: string, given: Readonly<Record<string, string>>) => Promise<Completion>;

export type Completers = Readonly<Record<string, Completer>>;

/** The most values that the protocol allows in an answer. */
const maxValues = 100;
/** Longer values are of no use in a list of choices. */
const maxCharacters = 256;
/** Pages of a list that are searched for names. */
const maxPages = 20;

/** The first values that begin with what was typed, without those that could deceive a reader. */
function chosen(values: Iterable<unknown>, typed: string, isMore: boolean): Completion {
  const found = new Set<string>();
  for (const value of values) {
    if (typeof value !== 'string' || value.length > maxCharacters || visible(value) !== value) continue;
    if (value.toLowerCase().startsWith(typed.toLowerCase())) found.add(value);
  }
  return { values: [...found].slice(0, maxValues), hasMore: isMore || found.size > maxValues };
}

/** Completes from a fixed list. */
export const oneOfThese =
  (words: readonly string[]): Completer =>
  async (_call, typed) =>
    chosen(words, typed, false);

/** One page of a list, as members of its entries. */
async function pageOf(
  route: DocumentRoute,
  call: McpCall,
  { member, given, more }: { member: string; given?: object; more?: Record<string, unknown> },
): Promise<{ values: unknown[]; end: string | undefined }> {
  const { body, data, release } = await readRoute(route, call, { ...(given && { given }), ...(more && { more }) });
  const rows: unknown[] = Array.isArray(body) ? body : [];
  const values = rows.map((row) => valueAt(row, [member]));
  const end = route.success.page && endOfPage(valueAt(data, route.success.page));
  release();
  return { values, end };
}

/** Ids of the newest entries of a list. */
const newestIds =
  (route: DocumentRoute, filter: object): Completer =>
  async (call, typed) => {
    const { values, end } = await pageOf(route, call, { member: 'id', given: { limit: maxValues, ...filter } });
    return chosen(values, typed, end !== undefined);
  };

/** Ids of the newest runs, perhaps of one status. */
export const runIds = (status?: (typeof runStatusFilters)[number]): Completer =>
  newestIds(listRuns, status ? { status } : {});
export const eventIds: Completer = newestIds(listEvents, {});
export const approvalIds = (status?: ApprovalStatus): Completer => newestIds(listApprovals, status ? { status } : {});

/** Names in a list that is sorted by them, read page by page until there are enough. */
async function names(
  route: DocumentRoute,
  call: McpCall,
  { typed, more = {} }: { typed: string; more?: Record<string, unknown> },
): Promise<Completion> {
  const found: unknown[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { values, end } = await pageOf(route, call, { member: 'name', more: { ...more, after } });
    found.push(...values);
    const completion = chosen(found, typed, end !== undefined);
    if (end === undefined || completion.values.length >= maxValues) return completion;
    after = end;
  }
  return chosen(found, typed, true);
}

export const apps: Completer = (call, typed) => names(listApps, call, { typed });

/** Names of workflows, of the app that is known already. */
export const workflowNames: Completer = (call, typed, { app }) =>
  names(listWorkflows, call, { typed, more: app ? { app } : {} });

export const runStatuses = oneOfThese(runStatusFilters);
export const spans = oneOfThese(['15m', '1h', '6h', '24h', '7d']);

/** Pages of the documentation. */
export const pageNames: Completer = async (_call, typed) =>
  chosen(
    (await readPages()).map(({ name }) => name),
    typed,
    false,
  );
