import { notFound } from '../../engine/errors.ts';
import {
  type DeliveryRow,
  type DeliveryStatusCounts,
  type EndpointCount,
  previewRedeliver,
  type RedeliverCounts,
  type RedeliverPreview,
  redeliverDelivery,
  redeliverMany,
  sendTestDelivery,
} from '../../engine/webhooks/deliveries/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { RedeliverableStatusEnum, WebhookDeliveryKindEnum, WebhookEventKindEnum } from '../machinery/enums.ts';
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
    deliveryIds: t.idList({ description: 'Only these deliveries: 1 to 1000 ids.' }),
    statuses: t.field({
      type: [RedeliverableStatusEnum],
      description: 'Default: `FAILED`, `EXHAUSTED` and `DEAD`.',
    }),
    app: t.string({ description: 'Only deliveries that runs of this app caused.' }),
    eventKind: t.field({
      type: WebhookDeliveryKindEnum,
      description: 'Only deliveries that tell this kind of change.',
    }),
    runId: t.id({ description: 'Only deliveries that this run caused.' }),
    sourceRunId: t.id({ description: 'Only deliveries that tell of this run, without the sends of its steps.' }),
    since: t.field({ type: 'DateTime', description: 'Only deliveries created at or after this instant.' }),
    until: t.field({ type: 'DateTime', description: 'Only deliveries created before this instant.' }),
  }),
});

const matchedText = 'Deliveries that match, including those beyond the limit of one call; counted up to 100000.';
const cappedText = 'Whether more deliveries match than the 1000 of one call.';

const RedeliverWebhooksPayload = builder.objectRef<RedeliverCounts>('RedeliverWebhooksPayload').implement({
  fields: (t) => ({
    id: t.id({
      nullable: true,
      description: 'Its entry in the audit log. Null if the entry could not be written.',
      resolve: ({ id }) => id ?? null,
    }),
    matched: t.exposeInt('matched', { description: matchedText }),
    redelivered: t.exposeInt('redelivered'),
    skipped: t.exposeInt('skipped', { description: 'Matches that are `DELIVERING`.' }),
    capped: t.exposeBoolean('capped', { description: cappedText }),
  }),
});

const StatusCountsType = builder.objectRef<DeliveryStatusCounts>('WebhookDeliveryStatusCounts').implement({
  description: 'Numbers of deliveries by status. One that is `DELIVERING` counts as `PENDING` or `FAILED`, as before.',
  fields: (t) => ({
    pending: t.exposeInt('pending'),
    succeeded: t.exposeInt('succeeded'),
    failed: t.exposeInt('failed'),
    exhausted: t.exposeInt('exhausted'),
    dead: t.exposeInt('dead'),
  }),
});

const EndpointCountType = builder.objectRef<EndpointCount>('WebhookEndpointCount').implement({
  description: 'How many deliveries are for one endpoint.',
  fields: (t) => ({
    endpointId: t.exposeID('endpointId', { nullable: true, description: 'Null for the sends of steps.' }),
    count: t.exposeInt('count', { description: 'The number of its deliveries.' }),
  }),
});

const RedeliverPreviewType = builder.objectRef<RedeliverPreview>('RedeliverPreview').implement({
  description:
    'The deliveries that `redeliverWebhooks` with the same filter, and with this `until`, would attempt again.',
  fields: (t) => ({
    matched: t.exposeInt('matched', { description: matchedText }),
    count: t.exposeInt('count', { description: 'The deliveries that the call would attempt again, at most 1000.' }),
    skipped: t.exposeInt('skipped', { description: 'Matches that are `DELIVERING`.' }),
    capped: t.exposeBoolean('capped', { description: cappedText }),
    byStatus: t.expose('byStatus', { type: StatusCountsType, description: 'All matches by status.' }),
    byEndpoint: t.field({
      type: [EndpointCountType],
      description: 'The endpoints with the most matches, at most 20.',
      resolve: ({ byEndpoint }) => byEndpoint,
    }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'With this `until`, the call acts on no delivery that was created after the preview.',
    }),
    sample: t.field({
      type: [WebhookDeliveryType],
      description: 'The newest of the deliveries that the call would attempt again, at most 5.',
      resolve: ({ sample }) => sample,
    }),
  }),
});

builder.queryField('redeliverPreview', (t) =>
  t.field({
    type: RedeliverPreviewType,
    description: 'The deliveries that `redeliverWebhooks` would attempt again. The query changes nothing.',
    args: { input: t.arg({ type: RedeliverWebhooksInput, required: true }) },
    resolve: (_root, { input: filter }, { engine, projectId }) => previewRedeliver(engine, { projectId, filter }),
  }),
);

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
