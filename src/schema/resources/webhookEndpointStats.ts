import {
  type DeliveryCounts,
  type EndpointBucket,
  type EndpointStats,
  maxEndpointBuckets,
  readEndpointBuckets,
  readEndpointStats,
} from '../../engine/webhooks/deliveries/index.ts';
import { groupBy } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import { selectedFields } from '../machinery/selection.ts';

/** The common figures of both. */
const Figures = builder.interfaceRef<DeliveryCounts>('WebhookFigures').implement({
  description: 'Numbers of deliveries by status, and durations of their attempts.',
  fields: (t) => ({
    total: t.exposeInt('total'),
    succeeded: t.exposeInt('succeeded'),
    failed: t.exposeInt('failed', { description: 'Deliveries that wait for a retry, or are being retried.' }),
    exhausted: t.exposeInt('exhausted'),
    dead: t.exposeInt('dead'),
    pending: t.exposeInt('pending', { description: 'Deliveries whose first attempt has not ended.' }),
    attempts: t.exposeInt('attempts', { description: 'Their attempts until now, without the skipped ones.' }),
    failedAttempts: t.exposeInt('failedAttempts', {
      description: 'Attempts that got no response, or a refusal.',
    }),
    p50Ms: t.exposeFloat('p50Ms', { nullable: true, description: 'Median duration of an attempt, in whole ms.' }),
    p95Ms: t.exposeFloat('p95Ms', { nullable: true, description: '95th percentile of it.' }),
  }),
});

const WebhookEndpointBucketType = builder.objectRef<EndpointBucket>('WebhookEndpointBucket').implement({
  interfaces: [Figures],
  fields: (t) => ({
    bucket: t.expose('bucket', { type: 'DateTime', description: 'The start of the bucket.' }),
  }),
});

type WithBuckets = EndpointStats & { buckets: EndpointBucket[] };

/** Rulings 8 */
const WebhookEndpointStatsType = builder.objectRef<WithBuckets>('WebhookEndpointStats').implement({
  interfaces: [Figures],
  fields: (t) => ({
    endpointId: t.exposeID('endpointId'),
    lastAttemptAt: t.expose('lastAttemptAt', { type: 'DateTime', nullable: true }),
    lastStatusCode: t.exposeInt('lastStatusCode', {
      nullable: true,
      description: 'The HTTP status of the last attempt; null if it got no response.',
    }),
    buckets: t.field({
      type: [WebhookEndpointBucketType],
      description: `The same by the time of creation, oldest bucket first. Only the latest ${maxEndpointBuckets} buckets of all endpoints together.`,
      resolve: ({ buckets }) => buckets,
    }),
  }),
});

builder.queryField('webhookEndpointStats', (t) =>
  t.field({
    type: [WebhookEndpointStatsType],
    description: 'The health of every endpoint, oldest endpoint first: of deliveries created in a window.',
    args: {
      since: t.arg({ type: 'DateTime', description: 'The start of the window; 24 hours ago unless given.' }),
      until: t.arg({ type: 'DateTime', description: 'The end of the window; now unless given.' }),
      endpointId: t.arg.id({ description: 'Only this endpoint. An unknown id answers an empty list.' }),
      bucket: t.arg.int({ description: 'The width of a bucket in seconds; 3600 unless given.' }),
    },
    resolve: async (_root, { bucket, ...window }, { engine, projectId }, info) => {
      const stats = await readEndpointStats(engine, { projectId, ...window });
      const isAsked = selectedFields(info).has('buckets');
      const buckets = isAsked ? await readEndpointBuckets(engine, { projectId, ...window, bucket }) : [];
      const byEndpoint = groupBy(buckets, ({ endpointId }) => endpointId);
      return stats.map((each) => ({ ...each, buckets: byEndpoint.get(each.endpointId) ?? [] }));
    },
  }),
);
