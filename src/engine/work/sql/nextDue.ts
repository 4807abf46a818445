import { statement } from '../../db/statement.ts';

/** In how many ms the next parked or stranded run is due, by the database's clock; null when none is. */
export const nextDue = statement<{ now: Date | null }, { in_ms: number | null }>({
  name: 'nextDue',
  writes: false,
  text: `
    select (extract(epoch from min(due_at) - coalesce($1::timestamptz, now())) * 1000)::float8 as in_ms
    from run_work where state in ('parked', 'stranded') and due_at is not null
  `,
  values: ({ now }) => [now],
});
