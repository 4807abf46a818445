import type {
  RedeliverableStatus,
  RedeliverWebhooksInput,
  WebhookDeliveriesQueryVariables,
  WebhookDeliveryKind,
  WebhookDeliveryStatus,
} from '../../data/generated/graphql.ts';
import { type Infer, instantOf, moment, object, oneOf, readBy, someOf, text } from '../../router/searchFields.ts';

export const deliveryStatuses = ['failed', 'exhausted', 'dead', 'pending', 'delivering', 'succeeded'] as const;
export const deliveryKinds = [
  'run_succeeded',
  'run_failed',
  'run_cancelled',
  'step_succeeded',
  'step_failed',
  'step_skipped',
  'custom',
] as const;

/** The filters of deliveries, on their own page and on that of an endpoint. */
export const deliveryFields = {
  status: someOf(deliveryStatuses),
  kind: oneOf(deliveryKinds),
  since: moment,
  until: moment,
  app: text,
  run: text,
};

const deliveriesSearch = object({ ...deliveryFields, endpoint: text });

export type DeliveriesSearch = Infer<typeof deliveriesSearch>;
export const readDeliveriesSearch = readBy(deliveriesSearch);

export const deliveryFilters = {
  status: 'status',
  kind: 'kind',
  since: 'since',
  until: 'until',
  app: 'app',
  run: 'run',
  endpoint: 'endpoint',
} as const;

/** The filter that the list and the bulk call share. */
function filterOf({ kind, since, until, app, run, endpoint }: DeliveriesSearch, now?: number) {
  return {
    endpointId: endpoint,
    eventKind: kind && (kind.toUpperCase() as WebhookDeliveryKind),
    since: instantOf(since, now),
    until: instantOf(until, now),
    app,
    runId: run,
  };
}

export const deliveriesVariables = (
  search: DeliveriesSearch,
  now?: number,
): Omit<WebhookDeliveriesQueryVariables, 'after'> => ({
  ...filterOf(search, now),
  first: 50,
  statuses: search.status?.map((word) => word.toUpperCase() as WebhookDeliveryStatus),
});

/** All statuses that a bulk call takes: a delivery in flight is skipped. */
const redeliverable: readonly RedeliverableStatus[] = ['FAILED', 'EXHAUSTED', 'DEAD', 'PENDING', 'SUCCEEDED'];

export interface RedeliverScope {
  search: DeliveriesSearch;
  /** The chosen deliveries; if empty, the call acts on all that match. */
  chosen: ReadonlySet<string>;
  /** Also takes deliveries that did not fail, where the list has no filter by status. */
  isEveryStatus: boolean;
}

/** The input of a bulk call: the filter of the list, or the chosen deliveries. */
export function redeliverInput(
  { search, chosen, isEveryStatus }: RedeliverScope,
  now?: number,
): RedeliverWebhooksInput {
  if (chosen.size > 0) return { deliveryIds: [...chosen], statuses: [...redeliverable] };
  const wanted = search.status?.map((word) => word.toUpperCase()) ?? [];
  const statuses = redeliverable.filter((status) => wanted.includes(status));
  return {
    ...filterOf(search, now),
    ...(isEveryStatus && wanted.length === 0 && { statuses: [...redeliverable] }),
    ...(wanted.length > 0 && { statuses }),
  };
}
