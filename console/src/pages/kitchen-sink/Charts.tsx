import { type ReactNode, useMemo } from 'react';
import { Chart, countText, fillBuckets, Meter, Panel, Stack } from '../../design/index.ts';

const hour = 3_600_000;
const series = [
  { key: 'a', label: 'claude-opus-5' },
  { key: 'b', label: 'gpt-6-mini' },
  { key: 'c', label: 'small, local' },
];
const statuses = [
  { key: 'a', label: 'Succeeded', tone: 'good' },
  { key: 'b', label: 'Failed', tone: 'bad' },
] as const;

/** Charts and meters. */
export function Charts(): ReactNode {
  const columns = useMemo(() => {
    const to = Date.now();
    const wave = (index: number, by: number): number => Math.round(20 + 18 * Math.sin(index / by));
    const rows = Array.from({ length: 48 }, (_, index) => ({
      at: Math.floor(to / hour) * hour - index * hour,
      values: { a: wave(index, 3), b: wave(index, 7), c: wave(index, 11) },
    }));
    return fillBuckets(rows, series, { from: to - 48 * hour, to, bucketMs: hour });
  }, []);
  const two = useMemo(() => ({ times: columns.times, values: columns.values.slice(0, 2) }), [columns]);
  const marks = [{ at: Date.now() - 9 * hour, label: 'Version 2 of “ship order”' }];
  return (
    <Panel title="Charts">
      <Stack>
        <Chart label="Calls by model" columns={columns} series={series} valueText={countText} />
        <Chart
          label="Runs by status"
          columns={two}
          series={statuses}
          valueText={countText}
          kind="lines"
          marks={marks}
        />
        <Meter label="In use" value={3} limit={10} />
        <Meter label="Near" value={9} limit={10} warnAtPct={80} />
        <Meter label="Full" value={12} limit={10} />
        <Meter label="Without limit" value={12} />
      </Stack>
    </Panel>
  );
}
