import { type ReactNode, useMemo } from 'react';
import { Chart, countText, durationText, Stack, Time } from '../../design/index.ts';
import styles from './Simulation.module.css';
import { FigureTable, GateTable } from './SimulationTables.tsx';
import { figuresOf, pairGates } from './simulationFigures.ts';
import { chartOf, simulationSeries } from './simulationSeries.ts';
import type { Simulations } from './useSimulation.ts';

/** The starts under the policies in force, beside those under the tried ones. */
export function SimulationResult({ now, tried, verdict }: Simulations & { verdict: string }): ReactNode {
  const figures = useMemo(() => ({ now: figuresOf(now), tried: figuresOf(tried) }), [now, tried]);
  const chart = useMemo(() => chartOf(tried), [tried]);
  const gates = useMemo(() => pairGates(now.gates, tried.gates), [now, tried]);
  return (
    <Stack>
      {now.isCapped && (
        <p className={styles['note']}>
          The newest {countText(now.starts.length)} starts, since <Time at={now.since} />.
        </p>
      )}
      <p className={styles['verdict']} role="status">
        {verdict}
      </p>
      <FigureTable {...figures} gates={gates} />
      {gates.length > 0 && <GateTable gates={gates} />}
      <div>
        <h3>Over time, as tried</h3>
        <Chart
          label={`Starts and runs as tried, per ${durationText(chart.bucketMs)}`}
          columns={chart.columns}
          series={simulationSeries}
          valueText={wholeText}
          kind="lines"
        />
        {chart.later > 0 && (
          <p className={styles['note']}>
            {chart.later === 1 ? '1 run begins' : `${countText(chart.later)} runs begin`} later than shown.
          </p>
        )}
      </div>
      <p className={styles['note']}>
        Assumed: nothing executes at the beginning, other workflows are left out, and runs take as long as the real
        ones.
      </p>
    </Stack>
  );
}

/** The axis has places between the counts. */
const wholeText = (value: number): string => (Number.isInteger(value) ? countText(value) : '');
