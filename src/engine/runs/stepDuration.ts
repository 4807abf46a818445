import type { StepStatus } from './status.ts';

interface Timed {
  status: StepStatus;
  startedAt: Date;
  endedAt: Date | null;
}

/**
 * How long an attempt of a step took, in ms: the difference of the two instants as they are shown,
 * without what they have beyond milliseconds. A skipped step took no time (2.5), nor did one over
 * which the clock went back; null while the attempt goes on.
 */
export function stepDurationMs({ status, startedAt, endedAt }: Timed): number | null {
  if (status === 'skipped') return 0;
  return endedAt && Math.max(0, endedAt.getTime() - startedAt.getTime());
}

/**
 * The same in SQL, of columns `started_at` and `ended_at`: frames tell what rows will be read as.
 */
export const stepDurationSql = `greatest(0, (extract(epoch from
  date_trunc('milliseconds', ended_at) - date_trunc('milliseconds', started_at)) * 1000)::bigint)`;
