import type { StepStatus } from './status.ts';

interface Timed {
  status: StepStatus;
  startedAt: Date;
  endedAt: Date | null;
}

/**
 * The duration of an attempt of a step, in ms: the difference of the two instants as they are
 * shown, in whole milliseconds. The duration is 0 for a skipped step (2.5), and if the clock went
 * back; null while the attempt continues.
 */
export function stepDurationMs({ status, startedAt, endedAt }: Timed): number | null {
  if (status === 'skipped') return 0;
  return endedAt && Math.max(0, endedAt.getTime() - startedAt.getTime());
}

/**
 * The same in SQL, of the columns `started_at` and `ended_at`. So frames and rows agree.
 */
export const stepDurationSql = `greatest(0, (extract(epoch from
  date_trunc('milliseconds', ended_at) - date_trunc('milliseconds', started_at)) * 1000)::bigint)`;
