import { statement } from '../../db/index.ts';
import { lastInstantMs } from '../../instant.ts';
import { type PaceChange, paceColumns, rescaled } from './pace.ts';

/** With the pace of `throttle`: the same before and now where nothing has changed, or there is none. */
export interface StartChange extends PaceChange {
  app: string;
  name: string;
  /** Whether there was a bucket (`tokenThrottle`) for which it may wait. */
  hadBucket: boolean;
}

const lastSecond = lastInstantMs / 1000;

interface Params {
  projectId: string;
  changes: readonly StartChange[];
  /** So many runs at most. */
  limit: number;
  now: Date;
}

/**
 * Gives runs that wait for their start another time, as their workflow's policies have it now, and answers how many. Turns move by as
 * much as the pace has changed. What may wait for a bucket comes at once, or at the latest turn that was given out: when it comes it is
 * looked at once more (`heldUntil`). What is paused meanwhile keeps its new time for when it goes on. Who works on one of them is
 * waited for, and may have put it off by the former policy just then: so what is due already is locked, too, where there was a bucket, and
 * whether it waits is asked of the locked row. After the rates. Each part rides the index of its state, by lane; `offset 0` keeps the planner from reading all that
 * is due later, whoever's it is.
 */
export const retimeStarts = statement<Params, { run_id: string }>({
  name: 'retimeStarts',
  writes: true,
  text: `
    with changed as materialized (
      select c.*, coalesce((
        select to_timestamp(max(least(f.arrival_us / 1000000, ${lastSecond}))::float8) from flow_rate f
        where f.project_id = $2::uuid and f.policy = 'throttle' and f.app = c.app and f.workflow = c.name
      ), $1::timestamptz) as last_turn_at
      from unnest($3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[], $9::bool[])
        as c(app, name, former_count, former_per_ms, count, per_ms, had_bucket)
    ),
    found as materialized (
      select start.run_id, c.former_count, c.former_per_ms, c.count, c.per_ms, c.had_bucket, c.last_turn_at
      from changed c
      join lane l on l.project_id = $2::uuid and l.app = c.app and l.workflow = c.name
      cross join lateral (
        select run_id, due_at, claim_no from run_work
        where lane_id = l.id and state in ('parked', 'gated') and state = 'parked'
        union all
        select run_id, due_at, claim_no from run_work
        where lane_id = l.id and state = 'paused' and resume_state = 'parked'
        offset 0
      ) start
      where start.claim_no = 0 and (start.due_at > $1::timestamptz or c.had_bucket)
      order by start.run_id
      limit $10
    ),
    locked as materialized (
      select w.run_id, w.due_at, f.former_count, f.former_per_ms, f.count, f.per_ms, f.had_bucket, f.last_turn_at
      from found f join run_work w on w.run_id = f.run_id
      where 'parked' in (w.state, w.resume_state) and w.claim_no = 0
      order by w.run_id
      for update of w
    ),
    turn as (
      select run_id, due_at as former_at,
        case when had_bucket then least(turn_at, greatest(last_turn_at, $1::timestamptz)) else turn_at end as due_at
      from locked cross join lateral (
        select to_timestamp(least(extract(epoch from $1::timestamptz)
          + ${rescaled('extract(epoch from due_at - $1::timestamptz)', 'locked')}, ${lastSecond})::float8) as turn_at
      ) moved
      where due_at > $1::timestamptz
    ),
    moved as (
      update run_work w set due_at = t.due_at,
        position = w.position + (extract(epoch from t.due_at - t.former_at) * 1000000)::bigint
      from turn t
      where w.run_id = t.run_id
    )
    update run r set start_at = t.due_at from turn t where r.id = t.run_id
    returning r.id as run_id
  `,
  values: ({ projectId, changes, limit, now }) => [
    now,
    projectId,
    changes.map((each) => each.app),
    changes.map((each) => each.name),
    ...paceColumns(changes),
    changes.map((each) => each.hadBucket),
    limit,
  ],
});
