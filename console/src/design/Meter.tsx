import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { countText } from './formatTime.ts';
import styles from './Meter.module.css';

interface MeterProps {
  /** Read out as the name of the bar. */
  label: string;
  value: number;
  /** Absent or 0: there is no limit, and only the value shows. */
  limit?: number | null | undefined;
  /** From this share on, in percent, the bar warns. */
  warnAtPct?: number | null | undefined;
  format?: (value: number) => string;
}

/** A value within its limit: `7 of 10` above a bar, with a mark where the warning begins. */
export function Meter({ label, value, limit, warnAtPct, format = countText }: MeterProps): ReactNode {
  if (!limit)
    return (
      <span className={styles['text']}>
        {format(value)} <span className={styles['of']}>without limit</span>
      </span>
    );
  const share = (100 * value) / limit;
  const tone = share >= 100 ? 'full' : share >= (warnAtPct ?? 80) ? 'near' : undefined;
  return (
    <span className={styles['meter']}>
      <span className={styles['text']}>
        {format(value)} <span className={styles['of']}>of {format(limit)}</span>
      </span>
      <meter className="unseen" aria-label={label} min={0} max={limit} value={value}>
        {`${format(value)} of ${format(limit)}`}
      </meter>
      <span aria-hidden className={styles['track']}>
        <span className={classes(styles['fill'], tone && styles[tone])} style={{ width: `${Math.min(100, share)}%` }} />
        {warnAtPct ? <span className={styles['mark']} style={{ left: `${warnAtPct}%` }} /> : null}
      </span>
    </span>
  );
}
