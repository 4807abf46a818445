import { instant, statement } from '../../db/index.ts';

export interface NextWake {
  /** When it is due, in ms; null if none waits for a time. Negative: it is due. */
  nextInMs: number | null;
  /** The present instant, in ms since the epoch. */
  clockMs: number;
}

/** When the next parked or stranded run is due. Rides `run_work_due_idx`. */
export const nextWake = statement<NextWake>('nextWake').reads({
  params: { now: instant },
  text: `
    select (extract(epoch from (
      select due_at from run_work
      where state in ('parked', 'stranded') and due_at is not null
      order by due_at limit 1
    ) - $now) * 1000)::float8 as next_in_ms,
      (extract(epoch from $clock) * 1000)::float8 as clock_ms
  `,
});
