import type {
  OverviewHoldsQuery,
  OverviewSeriesQuery,
  OverviewTroublesQuery,
  OverviewVersionsQuery,
} from '../../data/generated/graphql.ts';
import { type Bucket, visibleText } from '../../design/index.ts';

/** The buckets of the chart of starts: how the runs of each bucket are now. */
export function startBuckets({ runTimeseries }: OverviewSeriesQuery): Bucket[] {
  return runTimeseries.map(({ bucket, total, byStatus }) => ({
    at: Date.parse(bucket),
    values: {
      succeeded: byStatus.succeeded,
      failed: byStatus.failed,
      cancelled: byStatus.cancelled,
      open: total - byStatus.succeeded - byStatus.failed - byStatus.cancelled,
    },
  }));
}

/** The buckets of the chart of durations. A bucket without ended runs has none. */
export const durationBuckets = ({ runTimeseries }: OverviewSeriesQuery): Bucket[] =>
  runTimeseries.map(({ bucket, p50Ms, p95Ms }) => ({
    at: Date.parse(bucket),
    values: { p50: p50Ms ?? null, p95: p95Ms ?? null },
  }));

export interface Deploy {
  at: number;
  label: string;
  version: string;
  workflow: string;
}

/**
 * The first runs of versions within a range. The first version that a range shows of a workflow is
 * no deploy: it may be older than the range.
 */
export function deploysOf({ runStatsBy }: OverviewVersionsQuery): Deploy[] {
  const sorted = [...runStatsBy].sort((a, b) => Date.parse(a.first) - Date.parse(b.first));
  const seen = new Set<string>();
  return sorted.flatMap(({ app, workflow, version, first }) => {
    const key = `${app}\n${workflow}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    if (isFirst || !workflow || !version) return [];
    return [{ at: Date.parse(first), label: `${visibleText(workflow)} ${version.slice(0, 8)}`, version, workflow }];
  });
}

export interface FailingWorkflow {
  app: string;
  workflow: string;
  failed: number;
  /** Of all that failed or succeeded. */
  rate: number;
}

/** Workflows with failed runs of any version, the most failures first. */
export function failingWorkflows({ runStatsBy }: OverviewVersionsQuery): FailingWorkflow[] {
  const found = new Map<string, { app: string; workflow: string; failed: number; ended: number }>();
  for (const { app, workflow: name, byStatus } of runStatsBy) {
    const workflow = name ?? '';
    const key = JSON.stringify([app, workflow]);
    const { failed, ended } = found.get(key) ?? { failed: 0, ended: 0 };
    const more = byStatus.failed + byStatus.succeeded;
    found.set(key, { app, workflow, failed: failed + byStatus.failed, ended: ended + more });
  }
  return [...found.values()]
    .filter(({ failed }) => failed > 0)
    .map(({ app, workflow, failed, ended }) => ({ app, workflow, failed, rate: failed / ended }))
    .sort((a, b) => b.failed - a.failed);
}

/** Something that a person should look at: a link to its page. */
export interface Trouble {
  label: string;
  to: readonly string[];
  search?: Record<string, unknown>;
}

/** A budget warns from this share on. */
const nearLimit = 0.8;

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** What needs a person, the most urgent first. */
export function troublesOf(holds: OverviewHoldsQuery | undefined, rest: OverviewTroublesQuery | undefined): Trouble[] {
  const gone = holds?.runners.filter(({ live }) => !live).length ?? 0;
  const open = holds?.approvalStats.open ?? 0;
  const budgets =
    holds?.flowState.budgets.filter(
      ({ cost, maxCost, tokens, maxTokens }) =>
        (maxCost != null && (cost ?? 0) >= maxCost * nearLimit) ||
        (maxTokens != null && tokens >= maxTokens * nearLimit),
    ) ?? [];
  const stale = rest?.workflowPage.nodes.filter(({ schedules }) => schedules?.some(({ isStale }) => isStale)) ?? [];
  const failing =
    rest?.webhookEndpointStats.filter(({ failed, dead, exhausted }) => failed + dead + exhausted > 0) ?? [];
  return [
    ...(open > 0 ? [{ label: `${counted(open, 'approval')} open`, to: ['approvals'], search: { open: '1' } }] : []),
    ...budgets.map(({ workflow }) => ({
      label: `The budget of ${visibleText(workflow)} is nearly spent`,
      to: ['flow'],
    })),
    ...stale.map(({ app, name }) => ({
      label: `A schedule of ${visibleText(name)} is late`,
      to: ['workflows', app, name],
    })),
    ...(failing.length > 0
      ? [{ label: `${counted(failing.length, 'webhook endpoint')} with failures`, to: ['webhooks', 'endpoints'] }]
      : []),
    ...(gone > 0 ? [{ label: `${counted(gone, 'runner')} gone`, to: ['runners'] }] : []),
  ];
}
