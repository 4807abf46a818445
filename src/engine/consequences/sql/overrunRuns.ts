import { bigint, instant, statement } from '../../db/index.ts';

interface Row {
  runId: string;
  limitMs: number;
}

/**
 * Unfinished runs whose time is over, the longest overdue first. Rides `run_work_ends_idx`. The
 * rows are not locked: `finishRuns` locks them, and decides again.
 */
export const overrunRuns = statement<Row>('overrunRuns').reads({
  params: { limit: bigint, now: instant },
  text: `
    select w.run_id,
      round(extract(epoch from w.ends_at - greatest(r.created_at, r.start_at)) * 1000)::float8 as limit_ms
    from (
      select run_id, ends_at from run_work
      where ends_at is not null and ends_at <= $now
      order by ends_at limit $limit
    ) w
    join run r on r.id = w.run_id
  `,
});
