import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Chart,
  Columns,
  countText,
  durationText,
  Empty,
  fillBuckets,
  PageHead,
  Panel,
  Select,
  Stack,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { FailingWorkflows, Failures } from './Failures.tsx';
import { Now } from './Now.tsx';
import styles from './Overview.module.css';
import { deploysOf, durationBuckets, startBuckets, troublesOf } from './overview.ts';
import { holdsDocument, seriesDocument, troublesDocument } from './overviewDocuments.ts';
import { type Range, rangeNames, ranges } from './overviewSearch.ts';
import { useSpan, useVersions } from './useSpan.ts';

const route = getRouteApi('/p/$project/');

const starts = [
  { key: 'succeeded', label: 'Succeeded', tone: 'good' },
  { key: 'failed', label: 'Failed', tone: 'bad' },
  { key: 'cancelled', label: 'Cancelled', tone: 'idle' },
  { key: 'open', label: 'Not ended', tone: 'busy' },
] as const;

const durations = [
  { key: 'p50', label: 'Median', tone: 'busy' },
  { key: 'p95', label: '95th percentile', tone: 'hold' },
] as const;

/** What happens in the project: now, over time, and what needs a person. */
export default function OverviewPage(): ReactNode {
  useTitle('Overview');
  const { range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Stack>
      <PageHead
        title="Overview"
        actions={
          <Select
            label="Range"
            isBare
            value={range}
            options={rangeNames.map((name) => ({ value: name, label: ranges[name].label }))}
            onChoose={(next) => void navigate({ search: { range: next } })}
          />
        }
      />
      <Now />
      <Columns>
        <Stack>
          <Series range={range} />
          <Failures range={range} />
        </Stack>
        <Stack>
          <Attention />
          <FailingWorkflows range={range} />
        </Stack>
      </Columns>
    </Stack>
  );
}

function Series({ range }: { range: Range }): ReactNode {
  const { bucket, pollMs } = ranges[range];
  const { since, fromMs, toMs, maxAge } = useSpan(range);
  const read = useRead(seriesDocument, { since, bucket, maxAge }, { pollMs });
  const versions = useVersions(range);
  const marks = useMemo(() => (versions.data ? deploysOf(versions.data) : []), [versions.data]);
  const span = useMemo(() => ({ from: fromMs, to: toMs, bucketMs: bucket * 1000 }), [fromMs, toMs, bucket]);
  const columns = useMemo(
    () =>
      read.data && {
        starts: fillBuckets(startBuckets(read.data), starts, span),
        durations: fillBuckets(durationBuckets(read.data), durations, { ...span, absent: null }),
      },
    [read.data, span],
  );
  const isEmpty = (): boolean => read.data?.runTimeseries.length === 0;
  const empty = <Empty title="No run started in this time" />;
  return (
    <>
      <Panel title="Runs by their start">
        <Answer read={read} skeleton={{ rows: 1, height: '14rem' }} isEmpty={isEmpty} empty={empty}>
          {() =>
            columns && (
              <Chart
                label="Runs by their start"
                columns={columns.starts}
                series={starts}
                valueText={countText}
                marks={marks}
              />
            )
          }
        </Answer>
      </Panel>
      <Panel title="Durations">
        <Answer read={read} skeleton={{ rows: 1, height: '14rem' }} isEmpty={isEmpty} empty={empty}>
          {() =>
            columns && (
              <Chart
                label="Durations of ended runs"
                kind="lines"
                columns={columns.durations}
                series={durations}
                valueText={durationText}
                marks={marks}
              />
            )
          }
        </Answer>
      </Panel>
    </>
  );
}

function Attention(): ReactNode {
  const holds = useRead(holdsDocument, {}, { pollMs: 10_000 });
  const rest = useRead(troublesDocument, {}, { pollMs: 60_000 });
  return (
    <Panel title="Needs a person">
      <Answer
        read={holds}
        isEmpty={() => troublesOf(holds.data, rest.data).length === 0}
        empty={
          <p className={styles['soft']}>Nothing: no approval is open, and nothing is late, failing or nearly spent.</p>
        }
      >
        {() => (
          <ul className={styles['list']}>
            {troublesOf(holds.data, rest.data).map(({ label, to, search }) => (
              <li key={label}>
                <PageLink to={to} {...(search && { search })}>
                  {label}
                </PageLink>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  );
}
