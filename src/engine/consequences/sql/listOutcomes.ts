import { bigint, float8, instant, statement } from '../../db/index.ts';

/**
 * Outcomes that a dead process left behind, and outcomes that were held for a suspended project
 * that is active again. A date in the future means that the clock went back since.
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
