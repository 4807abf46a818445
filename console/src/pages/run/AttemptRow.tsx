import type { ReactNode } from 'react';
import { Countdown, durationText, Status, serviceNow, Time, visibleText } from '../../design/index.ts';
import type { Attempt } from './lanes.ts';
import styles from './Timeline.module.css';
import { Track } from './Track.tsx';
import type { TimeAxis } from './timeAxis.ts';

interface AttemptRowProps {
  attempt: Attempt;
  axis: TimeAxis;
  /** How far it is set in. */
  depth: number;
  error: string | undefined;
  onPress: () => void;
}

/** One attempt beneath its step: its bar, how long it took, when it began, and its error. */
export function AttemptRow({ attempt: { step, bars }, axis, depth, error, onPress }: AttemptRowProps): ReactNode {
  const [bar] = bars;
  const isNext = step.nextAttemptAt && Date.parse(step.nextAttemptAt) > serviceNow();
  return (
    <>
      <div className={styles['names']} style={{ paddingLeft: `${1 + 1.25 * depth}rem` }}>
        <button type="button" className={styles['name']} onClick={onPress}>
          <Status status={step.status} isCompact />
          <span className={styles['text']}>Attempt {step.attempt}</span>
        </button>
      </div>
      <Track bars={bars} axis={axis} onPress={onPress} />
      <span className={styles['duration']}>{bar && durationText(bar.toMs - bar.fromMs)}</span>
      <p className={styles['detail']} style={{ paddingLeft: `${2.75 + 1.25 * depth}rem` }}>
        <Time at={step.startedAt} />
        {error !== undefined && (
          <span className={styles['error']} title={visibleText(error)}>
            {visibleText(error)}
          </span>
        )}
        {isNext && (
          <span>
            next attempt <Countdown until={step.nextAttemptAt ?? ''} />
          </span>
        )}
      </p>
    </>
  );
}
