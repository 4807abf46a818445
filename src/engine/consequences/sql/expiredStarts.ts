import { bigint, instant, statement } from '../../db/index.ts';

interface Row {
  runId: string;
  ttlMs: number;
}

/**
 * Starts beyond their time to live whose runs have not begun, the longest expired first. Rides
 * `run_work_expires_idx`. The rows are not locked: `finishRuns` locks them, and decides again.
 */
export const expiredStarts = statement<Row>('expiredStarts').reads({
  params: { limit: bigint, now: instant },
  text: `
    select w.run_id,
      round(extract(epoch from w.expires_at - greatest(r.created_at, w.not_before)) * 1000)::float8 as ttl_ms
    from (
      select run_id, expires_at, not_before from run_work
      where expires_at is not null and claim_no = 0 and expires_at <= $now
      order by expires_at limit $limit
    ) w
    join run r on r.id = w.run_id
  `,
});
