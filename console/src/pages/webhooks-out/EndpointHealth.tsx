import type { ReactNode } from 'react';
import type { WebhookEndpointStatsQuery } from '../../data/generated/graphql.ts';
import { Chart, countText, durationText, Facts, fillBuckets, serviceNow, Time, type Tone } from '../../design/index.ts';
import { StatusCode } from '../webhooks/HttpParts.tsx';
import { type Health, rateText } from './endpointHealth.ts';
import styles from './WebhooksOut.module.css';

const series = [
  { key: 'succeeded', label: 'Succeeded', tone: 'good' },
  { key: 'pending', label: 'Pending', tone: 'wait' },
  { key: 'failed', label: 'Failed, to be retried', tone: 'hold' },
  { key: 'exhausted', label: 'Exhausted', tone: 'bad' },
  { key: 'dead', label: 'Dead', tone: 'idle' },
] as const satisfies readonly { key: string; label: string; tone: Tone }[];

interface EndpointHealthProps {
  stats: WebhookEndpointStatsQuery['webhookEndpointStats'][number];
  health: Health;
  span: { since: string; bucket: number };
}

/** The figures of one endpoint, and its deliveries over time by how they stand now. */
export function EndpointHealth({ stats, health, span }: EndpointHealthProps): ReactNode {
  const rows = stats.buckets.map(({ bucket, pending, failed, succeeded, exhausted, dead }) => ({
    at: Date.parse(bucket),
    values: { pending, failed, succeeded, exhausted, dead },
  }));
  const columns = fillBuckets(rows, series, {
    from: Date.parse(span.since),
    to: serviceNow(),
    bucketMs: span.bucket * 1000,
  });
  return (
    <div className={styles['part']}>
      <Facts
        facts={[
          health.failingSince !== undefined && [
            'Without a success since',
            <Time key="since" at={health.failingSince} form="both" />,
          ],
          [
            'Last answer',
            stats.lastAttemptAt ? (
              <span key="last">
                <StatusCode code={stats.lastStatusCode} /> <Time at={stats.lastAttemptAt} form="relative" />
              </span>
            ) : (
              '–'
            ),
          ],
          ['Attempts that fail', `${rateText(health.failureRate)} of ${countText(stats.attempts)}`],
          ['Deliveries', countText(stats.total)],
          ['Median', stats.p50Ms == null ? '–' : durationText(stats.p50Ms)],
          ['p95', stats.p95Ms == null ? '–' : durationText(stats.p95Ms)],
        ]}
      />
      <Chart
        label="Deliveries by time of creation"
        columns={columns}
        series={series}
        kind="bars"
        valueText={countText}
      />
    </div>
  );
}
