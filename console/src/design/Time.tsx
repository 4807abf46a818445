import type { ReactNode } from 'react';
import { serviceNow, useNowWhile } from './clock.ts';
import { durationText, exactInstantText, instantText, relativeText } from './formatTime.ts';
import { usePreferences } from './preferences.ts';
import styles from './Time.module.css';

interface TimeProps {
  at: string | null | undefined;
  /** `both` shows the relative time beside the instant. */
  form?: 'instant' | 'relative' | 'both';
}

/** An instant in the viewer's zone, or UTC. Its title names the zone. */
export function Time({ at, form = 'instant' }: TimeProps): ReactNode {
  const { zone } = usePreferences();
  const now = useNowWhile(form !== 'instant');
  if (!at) return <span className={styles['none']}>–</span>;
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return <span>{at}</span>;
  return (
    <time dateTime={at} title={exactInstantText(ms, zone)} className={styles['time']}>
      {form !== 'relative' && instantText(ms, zone, now)}
      {form === 'both' && ' '}
      {form !== 'instant' && (
        <span className={form === 'both' ? styles['beside'] : undefined}>{relativeText(ms, now)}</span>
      )}
    </time>
  );
}

interface DurationProps {
  ms?: number | null | undefined;
  /** Without `ms`, the time since this instant, ticking. */
  since?: string | null | undefined;
}

/** A duration; of what still goes on, renewed each second. */
export function Duration({ ms, since }: DurationProps): ReactNode {
  const isTicking = ms == null && Boolean(since);
  const now = useNowWhile(isTicking);
  if (ms != null) return <span className={styles['time']}>{durationText(ms)}</span>;
  if (!since) return <span className={styles['none']}>–</span>;
  return <span className={styles['time']}>{durationText(now - Date.parse(since))}</span>;
}

/** The time until an instant, by the service's clock. */
export function Countdown({ until }: { until: string }): ReactNode {
  const now = useNowWhile(Date.parse(until) > serviceNow());
  return (
    <span className={styles['time']} title={until}>
      {relativeText(Date.parse(until), now)}
    </span>
  );
}
