import { type Infer, object, oneOf, readBy } from '../../router/searchFields.ts';

/**
 * The ranges of time, each with the width of its buckets in seconds: about 60 buckets. A long range
 * costs more to count, and changes less, so it is read less often.
 */
export const ranges = {
  '1h': { label: 'Last hour', ms: 3_600_000, bucket: 60, pollMs: 20_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000, bucket: 1_800, pollMs: 30_000 },
  '7d': { label: 'Last 7 days', ms: 604_800_000, bucket: 10_800, pollMs: 120_000 },
  '30d': { label: 'Last 30 days', ms: 2_592_000_000, bucket: 43_200, pollMs: 300_000 },
} as const;

export type Range = keyof typeof ranges;

export const rangeNames = ['1h', '24h', '7d', '30d'] as const satisfies readonly Range[];

const overviewSearch = object({ range: oneOf(rangeNames) });

export type OverviewSearch = Infer<typeof overviewSearch>;
export const readOverviewSearch = readBy(overviewSearch);
