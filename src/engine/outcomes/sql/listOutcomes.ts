import { statement } from '../../db/statement.ts';

/** Outcomes that a process left behind. One that is dated in the future is older than a clock that went back. */
export const listOutcomes = statement<{ olderThanMs: number; limit: number; now: Date | null }, { run_id: string }>({
  name: 'listOutcomes',
  writes: false,
  text: `
    select run_id from run_outcome
    where created_at < coalesce($3::timestamptz, now()) - $1::float8 * interval '1 ms'
      or created_at > coalesce($3::timestamptz, now()) + interval '1 minute'
    order by run_id limit $2
  `,
  values: ({ olderThanMs, limit, now }) => [olderThanMs, limit, now],
});
