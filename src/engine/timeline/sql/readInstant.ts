import { instant, statement } from '../../db/index.ts';

/**
 * The present millisecond, rounded down. A row that is created later has no earlier `created_at`,
 * which is rounded to the nearest millisecond.
 */
export const readInstant = statement<{ at: Date }>('readInstant').reads({
  params: { now: instant },
  text: `select date_trunc('milliseconds', $now) as at`,
});
