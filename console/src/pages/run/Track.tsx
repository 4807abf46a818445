import type { ReactNode } from 'react';
import { classes, durationText, statusBar, wordsOf } from '../../design/index.ts';
import type { Bar } from './lanes.ts';
import styles from './Timeline.module.css';
import { overlaps, type TimeAxis } from './timeAxis.ts';

interface TrackProps {
  bars: readonly Bar[];
  axis: TimeAxis;
  onPress?: () => void;
}

/** The bars of a row on the time axis. The button beside it does the same as a press. */
export function Track({ bars, axis, onPress }: TrackProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above.
    <div className={styles['track']} onClick={onPress}>
      {axis.stretches
        .filter(({ isFolded }) => isFolded)
        .map(({ from, to, fromMs }) => (
          <span
            key={fromMs}
            className={styles['folded']}
            style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
          />
        ))}
      {shownBars(bars.filter((bar) => overlaps(bar, axis))).map((bar, at) => {
        const from = axis.place(bar.fromMs);
        const width = axis.place(bar.toMs) - from;
        return (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar keeps nothing, so any element fits.
            key={at}
            className={
              bar.kind === 'gap'
                ? styles['gap']
                : classes(
                    styles['bar'],
                    statusBar(bar.status),
                    bar.kind === 'queued' && styles['queued'],
                    bar.kind === 'wait' && styles['wait'],
                  )
            }
            style={{ left: `${from * 100}%`, width: `max(3px, ${width * 100}%)` }}
            title={`${wordsOf(bar.kind === 'gap' ? 'waits for the next attempt' : bar.status)}: ${durationText(bar.toMs - bar.fromMs)}`}
          />
        );
      })}
    </div>
  );
}

/** A group of thousands of repeats draws so many bars at most. */
const maxBars = 200;

const shownBars = (bars: readonly Bar[]): readonly Bar[] =>
  bars.length <= maxBars ? bars : bars.filter((_, at) => at % Math.ceil(bars.length / maxBars) === 0);
