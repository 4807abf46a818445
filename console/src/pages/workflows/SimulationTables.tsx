import type { ReactNode } from 'react';
import { Cell, countText, durationText, Head, Table } from '../../design/index.ts';
import styles from './Simulation.module.css';
import type { Figures, GatePair, SimulatedGate } from './simulationFigures.ts';

interface FigureTableProps {
  now: Figures;
  tried: Figures;
  gates: readonly GatePair[];
}

const delayText = (ms: number): string => (ms > 0 ? durationText(ms) : '–');

const rows: readonly [name: string, key: keyof Figures, text: (value: number) => string][] = [
  ['Starts that came', 'came', countText],
  ['Runs that began', 'runs', countText],
  ['Starts withheld', 'withheld', countText],
  ['Starts delayed', 'delayed', countText],
  ['Median delay', 'medianMs', delayText],
  ['Longest delay', 'longestMs', delayText],
  ['Most runs at once', 'mostExecuting', countText],
  ['Most starts waiting at once', 'mostWaiting', countText],
];

/** The figures of both simulations side by side. */
export function FigureTable({ now, tried, gates }: FigureTableProps): ReactNode {
  return (
    <Table
      label="Now and tried"
      head={
        <>
          <Head>Figure</Head>
          <Head isNumber>Now</Head>
          <Head isNumber>Tried</Head>
        </>
      }
    >
      {rows.map(([name, key, text]) => (
        <tr key={key} className={now[key] === tried[key] ? undefined : styles['differs']}>
          <Cell>{name}</Cell>
          <Cell isNumber className={styles['figure']}>
            {text(now[key])}
            {key === 'withheld' && <Withheld by={gates} which="now" />}
          </Cell>
          <Cell isNumber className={styles['figure']}>
            {text(tried[key])}
            {key === 'withheld' && <Withheld by={gates} which="tried" />}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

/** Which policies withheld how many. */
function Withheld({ by, which }: { by: readonly GatePair[]; which: 'now' | 'tried' }): ReactNode {
  const parts = by.flatMap(({ policy, [which]: gate }) =>
    gate && gate.withheld > 0 ? [`${countText(gate.withheld)} by ${policy}`] : [],
  );
  return parts.length > 0 && <span className={styles['beside']}>{parts.join(', ')}</span>;
}

/** The effect of each gate in both simulations. */
export function GateTable({ gates }: { gates: readonly GatePair[] }): ReactNode {
  return (
    <div>
      <h3>By gate</h3>
      <Table
        label="Now and tried, by gate"
        isCards
        head={
          <>
            <Head>Gate</Head>
            <Head isNumber>Withheld</Head>
            <Head isNumber>Delayed</Head>
            <Head isNumber>Median delay</Head>
            <Head isNumber>Longest delay</Head>
          </>
        }
      >
        {gates.map((pair) => (
          <tr key={pair.policy}>
            <Cell className={styles['gate']}>{pair.policy}</Cell>
            <Cell isNumber name="withheld">
              <Both {...pair} text={({ withheld }) => countText(withheld)} />
            </Cell>
            <Cell isNumber name="delayed">
              <Both {...pair} text={({ delayed }) => countText(delayed)} />
            </Cell>
            <Cell isNumber name="median">
              <Both {...pair} text={({ medianMs }) => delayText(medianMs)} />
            </Cell>
            <Cell isNumber name="longest">
              <Both {...pair} text={({ longestMs }) => delayText(longestMs)} />
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}

/** A figure of a gate now and as tried, or once if it stays. */
function Both({ now, tried, text }: GatePair & { text: (gate: SimulatedGate) => string }): ReactNode {
  const [before, after] = [now, tried].map((gate) => (gate ? text(gate) : 'off'));
  if (before === after) return before;
  return (
    <>
      <span className={styles['before']}>{before} →</span> <strong>{after}</strong>
    </>
  );
}
