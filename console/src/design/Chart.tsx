import { type ReactNode, useMemo, useState } from 'react';
import styles from './Chart.module.css';
import type { ChartColumns, ChartSeries } from './chartData.ts';
import { classes } from './classes.ts';
import { instantText } from './formatTime.ts';
import { later } from './later.tsx';
import { usePreferences } from './preferences.ts';
import type { Tone } from './statusPalette.ts';
import { Cell, Head, Table } from './Table.tsx';
import { visibleText } from './visibleText.ts';

const ChartBase = later(() => import('./ChartBase.tsx'));

export interface ChartMark {
  at: number;
  label: string;
}

export interface ChartProps {
  /** The title of the chart in one line: read out, and that of its table. */
  label: string;
  columns: ChartColumns;
  /** A series has a status colour, or the next one of the six of `tokens.css`. */
  series: readonly (ChartSeries & { tone?: Tone })[];
  kind?: 'bars' | 'lines';
  valueText: (value: number) => string;
  /** Events to mark by a line, such as deploys. */
  marks?: readonly ChartMark[];
}

/** Figures over time as stacked bars or lines, with a table of the same numbers. */
export function Chart(props: ChartProps): ReactNode {
  const { label, columns, series, valueText, marks = [] } = props;
  const { zone } = usePreferences();
  const [pointed, setPointed] = useState<number>();
  const [isTable, setTable] = useState(false);
  const colours = series.map(({ tone }, index) => (tone ? `${tone}-key` : `series-${(index % 6) + 1}`));
  const time = pointed === undefined ? undefined : columns.times[pointed];
  const now = useMemo(() => Date.now(), []);
  const named = (text: string): string => visibleText(text);
  return (
    <figure className={styles['chart']}>
      <figcaption className={styles['keys']}>
        {series.map(({ key, label: name }, index) => {
          const value = pointed === undefined ? undefined : columns.values[index]?.[pointed];
          return (
            <span key={key} className={styles['key']}>
              <span data-colour={index} className={classes(styles['swatch'], styles[colours[index] ?? ''])} />
              <span className={styles['name']}>{named(name)}</span>
              {value != null && <span>{valueText(value)}</span>}
            </span>
          );
        })}
        <span className={styles['time']}>{time !== undefined && instantText(time * 1000, zone, now)}</span>
        <button
          type="button"
          className={styles['switch']}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
          title={`${label}, as a table`}
        >
          {isTable ? 'Chart' : 'Table'}
        </button>
      </figcaption>
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        <div role="img" aria-label={`${label}. The table has the same numbers.`} className={styles['plot']}>
          <ChartBase {...props} marks={marks} onPoint={setPointed} />
        </div>
      )}
    </figure>
  );
}

/** Rows of buckets in which something happened, the latest first. */
function ChartTable({ label, columns, series, valueText, marks = [] }: ChartProps): ReactNode {
  const { zone } = usePreferences();
  const now = Date.now();
  const rows = columns.times
    .map((time, index) => ({ time, values: columns.values.map((column) => column[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    <div className={styles['table']}>
      <Table
        label={label}
        head={
          <>
            <Head>From</Head>
            {series.map(({ key, label: name }) => (
              <Head key={key} isNumber>
                {visibleText(name)}
              </Head>
            ))}
          </>
        }
      >
        {rows.map(({ time, values }) => (
          <tr key={time}>
            <Cell>{instantText(time * 1000, zone, now)}</Cell>
            {values.map((value, index) => (
              <Cell key={series[index]?.key} isNumber>
                {value === null ? '–' : valueText(value)}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
      {marks.map(({ at, label: name }) => (
        <p key={`${at} ${name}`} className={styles['mark']}>
          {instantText(at, zone, now)} {visibleText(name)}
        </p>
      ))}
    </div>
  );
}
