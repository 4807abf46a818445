import { isId } from '../../engine/ids.ts';
import { pageSizes } from '../../engine/paging/index.ts';
import {
  listSourceDeliveries,
  type Replayed,
  replaySourceDelivery,
  type SourceAttemptRow,
  type SourceDeliveryRow,
  withoutSecrets,
} from '../../engine/webhooks/inbound/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import {
  WebhookFailureReasonEnum,
  WebhookSourceAttemptTriggerEnum,
  WebhookSourceDeliveryStatusEnum,
} from '../machinery/enums.ts';
import { fittingSourceDeliveries, readConnection } from '../machinery/fittingPage.ts';
import { payload } from '../machinery/payload.ts';
import { NodeInterface } from './refs.ts';

/** 2.10 */
const AttemptType = builder.objectRef<SourceAttemptRow>('WebhookSourceAttempt').implement({
  description: 'An attempt to make a message an event: its arrival, or a replay.',
  fields: (t) => ({
    id: t.exposeID('id'),
    attempt: t.exposeInt('attempt', { description: 'Counts 1, 2, 3 … per delivery. The first is the arrival.' }),
    trigger: t.expose('trigger', { type: WebhookSourceAttemptTriggerEnum }),
    status: t.expose('status', { type: WebhookSourceDeliveryStatusEnum }),
    eventId: t.exposeID('eventId', { nullable: true }),
    runId: t.exposeID('runId', { nullable: true }),
    actor: t.exposeString('actor', { nullable: true, description: 'The name of the key that replayed it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

/** 2.10 */
const SourceDeliveryType = builder.objectRef<SourceDeliveryRow>('WebhookSourceDelivery').implement({
  description: 'A message that a webhook source sent.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    source: t.exposeID('sourceId', { description: 'The id of the source.' }),
    status: t.expose('status', { type: WebhookSourceDeliveryStatusEnum }),
    failureReason: t.expose('failureReason', {
      type: WebhookFailureReasonEnum,
      nullable: true,
      description: 'Why the message is `UNAUTHORIZED`.',
    }),
    eventId: t.exposeID('eventId', { nullable: true, description: 'The event that the message became.' }),
    runId: t.exposeID('runId', { nullable: true, description: 'The first run that the event started.' }),
    requestHeaders: t.field({
      type: 'JSON',
      description: 'By name in lower case. Public keys see no signatures and no secrets.',
      resolve: async ({ id }, _args, context) => {
        const headers = (await context.loaders.sourceDeliveries.sourceMessage.get(id, 'requestHeaders')) ?? '{}';
        return payload(context.principal.kind === 'public' ? withoutSecrets(headers) : headers);
      },
    }),
    body: t.string({
      nullable: true,
      description: 'The body as it was received; null if the message did not verify.',
      resolve: async ({ id }, _args, context) =>
        (await context.loaders.sourceDeliveries.sourceMessage.get(id, 'body')) ?? null,
    }),
    bodyEncoding: t.string({
      nullable: true,
      description: '`base64` if the body is not UTF-8.',
      resolve: async ({ id }, _args, context) =>
        (await context.loaders.sourceDeliveries.sourceMessage.get(id, 'bodyEncoding')) ?? null,
    }),
    attempts: t.field({
      type: [AttemptType],
      resolve: async ({ id }, _args, context) => (await context.loaders.sourceDeliveries.sourceAttempts.load(id)) ?? [],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const SourceDeliveryConnection = builder.connectionObject(
  { type: SourceDeliveryType, name: 'WebhookSourceDeliveryConnection' },
  { name: 'WebhookSourceDeliveryEdge' },
);

builder.queryFields((t) => ({
  webhookSourceDelivery: t.field({
    type: SourceDeliveryType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => findSourceDelivery(context, id),
  }),
  webhookSourceDeliveries: t.field({
    type: SourceDeliveryConnection,
    description: 'Messages of webhook sources, newest first: 30 by default, at most 200.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      source: t.arg.id({ description: 'Only messages of the source with this id.' }),
      status: t.arg({ type: WebhookSourceDeliveryStatusEnum }),
    },
    resolve: (_root, { source, status, ...args }, context, info) => {
      const { engine, projectId } = context;
      return readConnection(
        args,
        async (part) =>
          fittingSourceDeliveries(
            context,
            await listSourceDeliveries(engine, { projectId, source, status, ...part }),
            info,
          ),
        pageSizes.runs,
      );
    },
  }),
}));

/** A delivery of the caller's project; null if there is none with that id. */
export const findSourceDelivery = async (context: SchemaContext, id: string): Promise<SourceDeliveryRow | null> =>
  isId(id) ? ((await context.loaders.sourceDeliveries.sourceDelivery.load(id)) ?? null) : null;

const ReplayInput = builder.inputType('ReplaySourceDeliveryInput', {
  fields: (t) => ({ id: t.id({ required: true, description: 'The delivery to replay.' }) }),
});

const ReplayPayload = builder.objectRef<Replayed>('ReplaySourceDeliveryPayload').implement({
  fields: (t) => ({
    deliveryId: t.exposeID('deliveryId'),
    status: t.expose('status', { type: WebhookSourceDeliveryStatusEnum }),
    eventId: t.exposeID('eventId', { nullable: true }),
    runId: t.exposeID('runId', { nullable: true }),
    delivery: t.field({
      type: SourceDeliveryType,
      nullable: true,
      resolve: ({ deliveryId }, _args, context) => findSourceDelivery(context, deliveryId),
    }),
  }),
});

builder.mutationField('replaySourceDelivery', (t) =>
  t.field({
    type: ReplayPayload,
    description:
      'Makes a verified message an event again, by the present mapping and `dedupeKey` of its source. ' +
      'The error is `CONFLICT` if the message did not verify.',
    args: { input: t.arg({ type: ReplayInput, required: true }) },
    resolve: async (_root, { input: { id } }, context) => {
      const { engine, projectId, principal } = context;
      const replayed = await replaySourceDelivery(engine, { projectId, deliveryId: id, actor: principal.keyName });
      context.refresh();
      return replayed;
    },
  }),
);
