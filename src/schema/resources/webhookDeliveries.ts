import { notFound } from '../../engine/errors.ts';
import { isId } from '../../engine/ids.ts';
import { RawJson } from '../../engine/json/index.ts';
import { pageSize, pageSizes } from '../../engine/paging/index.ts';
import {
  type AttemptRow,
  type DeliveryChange,
  type DeliveryRow,
  listDeliveries,
  tailDeliveries,
} from '../../engine/webhooks/deliveries/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { WebhookAttemptOutcomeEnum, WebhookDeliveryKindEnum, WebhookDeliveryStatusEnum } from '../machinery/enums.ts';
import { fittingDeliveries, readConnection } from '../machinery/fittingPage.ts';
import { whenThere } from '../machinery/metered.ts';
import { payload } from '../machinery/payload.ts';
import { NodeInterface, RunType, WebhookDeliveryType } from './refs.ts';

/** 2.9 */
const WebhookAttemptType = builder.objectRef<AttemptRow>('WebhookAttempt').implement({
  description: 'An attempt to send a delivery.',
  fields: (t) => ({
    id: t.exposeID('id'),
    attempt: t.exposeInt('attempt', { description: 'From 1, also over redeliveries.' }),
    outcome: t.expose('outcome', { type: WebhookAttemptOutcomeEnum }),
    statusCode: t.exposeInt('statusCode', { nullable: true }),
    responseSnippet: t.exposeString('responseSnippet', {
      nullable: true,
      description: 'The start of the body of the response.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why there was no response.' }),
    durationMs: t.exposeInt('durationMs'),
    requestHeaders: t.field({
      type: 'JSON',
      description: 'The headers that were sent, with the signature.',
      resolve: ({ requestHeaders }) => payload(requestHeaders) ?? RawJson.trusted('{}'),
    }),
    responseHeaders: t.field({
      type: 'JSON',
      nullable: true,
      resolve: ({ responseHeaders }) => payload(responseHeaders),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

/** The run whose change is told. A custom send and a test tell of none. */
const sourceRunId = ({ runId, eventKind, isTest }: DeliveryRow): string | null =>
  eventKind === 'custom' || isTest ? null : runId;

WebhookDeliveryType.implement({
  description: 'A message to an endpoint, or the send of a step.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    app: t.exposeString('app'),
    endpointId: t.exposeID('endpointId', { nullable: true, description: 'Null for the send of a step.' }),
    url: t.string({
      description: 'Public keys see no query.',
      resolve: ({ url }, _args, context) => context.shownUrl(url),
    }),
    eventKind: t.expose('eventKind', { type: WebhookDeliveryKindEnum }),
    sourceRunId: t.id({
      nullable: true,
      description: 'The run of which it tells; null for the send of a step, and for a test.',
      resolve: sourceRunId,
    }),
    sourceRun: t.field({
      type: RunType,
      nullable: true,
      resolve: async (delivery, _args, { loaders }) => {
        const id = sourceRunId(delivery);
        return id === null ? null : ((await loaders.runs.run.load(id)) ?? null);
      },
    }),
    isTest: t.boolean({
      nullable: true,
      description: 'True for a delivery of `sendTestWebhook`, otherwise null.',
      resolve: ({ isTest }) => isTest || null,
    }),
    payload: t.field({
      type: 'JSON',
      description: 'The body that is sent.',
      resolve: ({ id }, _args, { loaders }) =>
        whenThere(loaders.deliveries.deliveryPayload.get(id, 'payload'), (text) => payload(text ?? 'null')),
    }),
    status: t.expose('status', { type: WebhookDeliveryStatusEnum }),
    attemptCount: t.exposeInt('attemptCount', { description: 'Attempts that have ended.' }),
    maxAttempts: t.int({
      description: 'Attempts until the delivery is exhausted, counted from its last redelivery.',
      resolve: (_delivery, _args, { engine }) => engine.settings.webhookBackoffMs.length + 1,
    }),
    lastStatusCode: t.exposeInt('lastStatusCode', { nullable: true }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When a failed delivery is attempted again.',
      resolve: ({ status, nextAttemptAt }) => (status === 'failed' ? nextAttemptAt : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    attempts: t.field({
      type: [WebhookAttemptType],
      description: 'The latest attempts, oldest first: 100 by default, at most 1000.',
      args: { limit: t.arg.int() },
      resolve: async ({ id: deliveryId }, { limit }, { loaders }) =>
        (await loaders.deliveries.deliveryAttempts.load({ deliveryId, limit: pageSize(limit, 'limit') })) ?? [],
    }),
  }),
});

const WebhookDeliveryConnection = builder.connectionObject(
  { type: WebhookDeliveryType, name: 'WebhookDeliveryConnection' },
  { name: 'WebhookDeliveryEdge' },
);

builder.queryFields((t) => ({
  webhookDelivery: t.field({
    type: WebhookDeliveryType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => findDelivery(context, id),
  }),
  webhookDeliveries: t.field({
    type: WebhookDeliveryConnection,
    description: 'Deliveries of webhooks, newest first: 30 by default, at most 200.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      status: t.arg({ type: WebhookDeliveryStatusEnum }),
      statuses: t.arg({
        type: [WebhookDeliveryStatusEnum],
        description: 'Only deliveries of one of these statuses. An empty list counts as absent.',
      }),
      app: t.arg.string(),
      endpointId: t.arg.id(),
      eventKind: t.arg({ type: WebhookDeliveryKindEnum }),
      runId: t.arg.id({ description: 'Only deliveries that this run caused.' }),
      sourceRunId: t.arg.id({ description: 'Only deliveries that tell of this run, without the sends of its steps.' }),
      since: t.arg({ type: 'DateTime', description: 'Only deliveries created at or after this instant.' }),
      until: t.arg({ type: 'DateTime', description: 'Only deliveries created before this instant.' }),
    },
    resolve: (_root, { first, after, ...filter }, context, info) => {
      const { engine, projectId } = context;
      return readConnection(
        { first, after },
        async (part) => fittingDeliveries(context, await listDeliveries(engine, { projectId, filter, ...part }), info),
        pageSizes.deliveries,
      );
    },
  }),
}));

/** A delivery of the caller's project; null if there is none with that id. */
export const findDelivery = async (context: SchemaContext, id: string): Promise<DeliveryRow | null> =>
  isId(id) ? ((await context.loaders.deliveries.delivery.load(id)) ?? null) : null;

builder.subscriptionField('webhookDeliveryChanged', (t) =>
  t.field({
    type: WebhookDeliveryType,
    description:
      'Deliveries that are attempted, or are due again, in their present state. Changes may be missed: read the list again after a reconnect.',
    args: { endpointId: t.arg.id({ description: 'Only deliveries to this endpoint.' }) },
    subscribe: (_root, { endpointId }, { engine, projectId }) =>
      tailDeliveries(engine, { projectId, endpointId: endpointId ?? undefined }),
    resolve: async ({ deliveryId }: DeliveryChange, _args, context) => {
      const delivery = await findDelivery(context, deliveryId);
      if (!delivery) throw notFound('webhook delivery not found');
      return delivery;
    },
  }),
);
