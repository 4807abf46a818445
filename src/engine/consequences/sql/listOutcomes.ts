import { bigint, float8, instant, statement } from '../../db/index.ts';

/**
 * Outcomes that a process left behind, and those that were held for a project that is not suspended
 * any more. One that is dated in the future is older than a clock that went back.
 */
export const listOutcomes = statement<{ runId: string }>('listOutcomes').reads({
  params: { olderThanMs: float8, limit: bigint, now: instant },
  text: `
    select run_id from run_outcome
    where (created_at < $now - $olderThanMs * interval '1 ms'
        or created_at > $now + interval '1 minute')
      and (held_for is null or not exists (select from project where id = held_for and suspended_at is not null))
    order by run_id limit $limit
  `,
});
