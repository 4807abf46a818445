import { instant, statement } from '../../db/index.ts';

interface Row {
  workInMs: number | null;
  fireInMs: number | null;
  approvalInMs: number | null;
  flushInMs: number | null;
  hasGated: boolean;
}

/**
 * In how many ms the next parked or stranded run is due, the next cron schedule, the next deadline
 * of an approval, and the next buffer, by the database's clock; null when none is. And whether some
 * run waits for a slot: ordered, so that the planner does not look for one in the whole table. One
 * question, because it is what an idle service asks.
 */
export const nextDue = statement<Row>('nextDue').reads({
  params: { now: instant },
  text: `
    select
      (extract(epoch from (
        select min(due_at) from run_work where state in ('parked', 'stranded') and due_at is not null
      ) - $now) * 1000)::float8 as work_in_ms,
      (extract(epoch from (
        select min(next_fire_at) from cron_schedule
      ) - $now) * 1000)::float8 as fire_in_ms,
      (extract(epoch from (
        select min(expires_at) from approval where status = 'pending' and expires_at is not null
      ) - $now) * 1000)::float8 as approval_in_ms,
      (extract(epoch from (
        select min(due) from (
          select min(flush_at) as due from flow_buffer where policy = 'debounce'
          union all
          select min(flush_at) from flow_buffer where policy = 'batch'
        ) first_of_each
      ) - $now) * 1000)::float8 as flush_in_ms,
      (select gate from run_work where state = 'gated' order by gate, slot, position, run_id limit 1) is not null as has_gated
  `,
});
