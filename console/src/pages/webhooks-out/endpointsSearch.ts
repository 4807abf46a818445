import { type Infer, instantOf, object, oneOf, readBy } from '../../router/searchFields.ts';
import { deliveryFields } from './deliveriesSearch.ts';

const ranges = ['1h', '24h', '7d'] as const;
export type Range = (typeof ranges)[number];

const endpointsSearch = object({ range: oneOf(ranges) });
export type EndpointsSearch = Infer<typeof endpointsSearch>;
export const readEndpointsSearch = readBy(endpointsSearch);

const endpointSearch = object({ range: oneOf(ranges), ...deliveryFields });
export type EndpointSearch = Infer<typeof endpointSearch>;
export const readEndpointSearch = readBy(endpointSearch);

export const rangeOptions: readonly { value: Range; label: string }[] = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
];

/** The width of a bucket in seconds: 12 to 28 bars, whatever the range. */
const bucketSeconds = (range: Range): number => ({ '1h': 300, '24h': 3_600, '7d': 21_600 })[range];

/** The window of the statistics. */
export const windowOf = (range: Range, now?: number): { since: string; bucket: number } => ({
  since: instantOf(range, now) ?? '',
  bucket: bucketSeconds(range),
});
