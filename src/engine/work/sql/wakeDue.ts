import { bigint, instant, statement } from '../../db/index.ts';
import { type WokenRow, wakingColumnsSql, wakingSql, wokenColumnsSql } from './wakingSql.ts';

/** A woken run; without one, a lone row has only the columns about the others. */
type Row = { [Column in keyof WokenRow]: WokenRow[Column] | null } & {
  /** The ms until the next run is due; null if none waits for a time. Negative: it is locked. */
  nextInMs: number | null;
  /** Whether a run stays parked, with a new time that `nextInMs` does not know. */
  isPutOff: boolean;
};

/**
 * Wakes due parked runs, the longest overdue first; 500 at most. Also tells when the next parked or
 * stranded run is due, so a scheduler needs no other statement to sleep until then. Rides
 * `run_work_due_idx`. The outer limit is for the planner. Without it, the planner expects `limit
 * $limit` to be a tenth of all parked runs, and would scan whole tables.
 */
export const wakeDue = statement<Row>('wakeDue').writes({
  params: { limit: bigint, now: instant },
  text: wakingSql(
    `
      select * from (
        select ${wakingColumnsSql} from run_work
        where state in ('parked', 'stranded') and state = 'parked' and due_at is not null
          and due_at <= $now and owed_turn is null
        order by due_at limit $limit
        for update skip locked
      ) first limit 500
    `,
    `select ${wokenColumnsSql}, (extract(epoch from (
        select due_at from run_work
        where state in ('parked', 'stranded') and due_at is not null and run_id not in (select run_id from picked)
        order by due_at limit 1
      ) - $now) * 1000)::float8 as next_in_ms,
      exists (select from picked where held_until is not null or backs_off) as is_put_off
    from (values (1)) always (one)
    left join (due d join run r on r.id = d.run_id) on true`,
  ),
});
