import type {
  WebhookSourceDeliveriesQueryVariables,
  WebhookSourceDeliveryStatus,
} from '../../data/generated/graphql.ts';
import { type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';

export const outcomes = ['ingested', 'deduped', 'unauthorized', 'invalid', 'too_large', 'misconfigured'] as const;

const inboundSearch = object({ status: oneOf(outcomes), source: text });
export type InboundSearch = Infer<typeof inboundSearch>;
export const readInboundSearch = readBy(inboundSearch);
export const readSourceSearch = readBy(object({ status: oneOf(outcomes) }));

export const inboundFilters = { status: 'outcome', source: 'source' } as const;

export const inboundVariables = ({
  status,
  source,
}: InboundSearch): Omit<WebhookSourceDeliveriesQueryVariables, 'after'> => ({
  first: 50,
  source,
  status: status && (status.toUpperCase() as WebhookSourceDeliveryStatus),
});
