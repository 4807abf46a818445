import { notFound } from '../../engine/errors.ts';
import {
  type DeliveryRow,
  type RedeliverCounts,
  redeliverDelivery,
  redeliverMany,
  sendTestDelivery,
} from '../../engine/webhooks/deliveries/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { RedeliverableStatusEnum, WebhookEventKindEnum } from '../machinery/enums.ts';
import { WebhookDeliveryType } from './refs.ts';
import { findDelivery } from './webhookDeliveries.ts';

interface DeliveryPayload {
  webhookDelivery: DeliveryRow;
}

const payloadType = (name: string) =>
  builder.objectRef<DeliveryPayload>(name).implement({
    fields: (t) => ({ webhookDelivery: t.expose('webhookDelivery', { type: WebhookDeliveryType }) }),
  });

const RedeliverWebhookPayload = payloadType('RedeliverWebhookPayload');
const SendTestWebhookPayload = payloadType('SendTestWebhookPayload');

/** The delivery after a write, read afresh. */
async function changed(context: SchemaContext, id: string): Promise<DeliveryPayload> {
  context.refresh();
  const webhookDelivery = await findDelivery(context, id);
  if (!webhookDelivery) throw notFound('webhook delivery not found');
  return { webhookDelivery };
}

const RedeliverWebhookInput = builder.inputType('RedeliverWebhookInput', {
  fields: (t) => ({ id: t.id({ required: true }) }),
});

const RedeliverWebhooksInput = builder.inputType('RedeliverWebhooksInput', {
  description: 'A delivery must match all given fields; at least one is required.',
  fields: (t) => ({
    endpointId: t.id(),
    statuses: t.field({
      type: [RedeliverableStatusEnum],
      description: 'Default: `FAILED`, `EXHAUSTED` and `DEAD`.',
    }),
    since: t.field({ type: 'DateTime', description: 'Only deliveries created at or after this instant.' }),
    until: t.field({ type: 'DateTime', description: 'Only deliveries created before this instant.' }),
  }),
});

const RedeliverWebhooksPayload = builder.objectRef<RedeliverCounts>('RedeliverWebhooksPayload').implement({
  fields: (t) => ({
    matched: t.exposeInt('matched', {
      description: 'Deliveries that match, including those beyond the limit of one call; counted up to 100000.',
    }),
    redelivered: t.exposeInt('redelivered'),
    skipped: t.exposeInt('skipped', { description: 'Matches that are `DELIVERING`.' }),
    capped: t.exposeBoolean('capped', { description: 'Whether more deliveries match than the 1000 of one call.' }),
  }),
});

const SendTestWebhookInput = builder.inputType('SendTestWebhookInput', {
  fields: (t) => ({
    endpointId: t.id({ required: true }),
    kind: t.field({
      type: WebhookEventKindEnum,
      required: true,
      description: 'Any kind, also one that the endpoint does not list.',
    }),
  }),
});

builder.mutationFields((t) => ({
  redeliverWebhook: t.field({
    type: RedeliverWebhookPayload,
    description:
      'Attempts a delivery again, at once and with a new budget. The error is `CONFLICT` while the delivery is `DELIVERING`.',
    args: { input: t.arg({ type: RedeliverWebhookInput, required: true }) },
    resolve: async (_root, { input: { id } }, context) => {
      const { engine, projectId, principal } = context;
      await redeliverDelivery(engine, { projectId, deliveryId: id, actor: principal.keyName });
      return changed(context, id);
    },
  }),
  redeliverWebhooks: t.field({
    type: RedeliverWebhooksPayload,
    description: 'Attempts the newest deliveries that match again: at most 1000 per call.',
    args: { input: t.arg({ type: RedeliverWebhooksInput, required: true }) },
    resolve: async (_root, { input: filter }, context) => {
      const { engine, projectId, principal } = context;
      const counts = await redeliverMany(engine, { projectId, actor: principal.keyName, filter });
      context.refresh();
      return counts;
    },
  }),
  sendTestWebhook: t.field({
    type: SendTestWebhookPayload,
    description:
      'Sends an endpoint a sample body with `"test": true`. The error is `CONFLICT` if the endpoint is disabled.',
    args: { input: t.arg({ type: SendTestWebhookInput, required: true }) },
    resolve: async (_root, { input: { endpointId, kind } }, context) => {
      const { engine, projectId, principal } = context;
      const id = await sendTestDelivery(engine, { projectId, endpointId, kind, actor: principal.keyName });
      return changed(context, id);
    },
  }),
}));
