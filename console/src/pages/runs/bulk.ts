import type { BulkReplayRunsInput, RunFilter } from '../../data/generated/graphql.ts';

/** The filter of a bulk call: that of the list, or the chosen runs. */
export function bulkInput(filter: RunFilter, chosen: ReadonlySet<string>): BulkReplayRunsInput {
  if (chosen.size > 0) return { runIds: [...chosen] };
  const { tags, ...rest } = filter;
  const pairs = tags?.map(({ key, value }) => [key, value] as const);
  return { ...rest, ...(pairs && pairs.length > 0 && { tags: Object.fromEntries(pairs) }) };
}

/** The statuses with counts, the largest first. */
export function countedStatuses(counts: Record<string, unknown>): { status: string; count: number }[] {
  return Object.entries(counts)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0)
    .map(([name, count]) => ({ status: name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(), count }))
    .sort((a, b) => b.count - a.count);
}
