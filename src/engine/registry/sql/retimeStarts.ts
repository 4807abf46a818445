import { statement } from '../../db/statement.ts';
import { type PaceChange, paceColumns, rescaled } from './pace.ts';

/** With the pace of `throttle`: the same before and now where nothing has changed, or there is none. */
export interface StartChange extends PaceChange {
  app: string;
  name: string;
  /** Whether the bucket (`tokenThrottle`) has changed, or is gone. */
  isRefilled: boolean;
}

interface Params {
  projectId: string;
  changes: readonly StartChange[];
  /** So many runs at most. */
  limit: number;
  now: Date;
}

/**
 * Gives runs that wait for their start another time, as their workflow's policies have it now, and answers how many. Turns move by as
 * much as the pace has changed. What waits for a bucket that has changed comes at once, or at the latest turn that was given out: when it
 * comes it is looked at once more (`heldUntil`). Passes over what somebody works on, and waits for nobody. After the rates.
 */
export const retimeStarts = statement<Params, { run_id: string }>({
  name: 'retimeStarts',
  writes: true,
  text: `
    with changed as materialized (
      select c.*, coalesce((
        select to_timestamp((max(f.arrival_us) / 1000000)::float8) from flow_rate f
        where f.project_id = $2::uuid and f.policy = 'throttle' and f.app = c.app and f.workflow = c.name
      ), $1::timestamptz) as last_turn_at
      from unnest($3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[], $9::bool[])
        as c(app, name, former_count, former_per_ms, count, per_ms, is_refilled)
    ),
    locked as materialized (
      select w.run_id, w.due_at, c.former_count, c.former_per_ms, c.count, c.per_ms, c.is_refilled, c.last_turn_at
      from changed c
      join lane l on l.project_id = $2::uuid and l.app = c.app and l.workflow = c.name
      join run_work w on w.lane_id = l.id and w.state in ('parked', 'gated') and w.state = 'parked'
      where w.claim_no = 0 and w.due_at > $1::timestamptz
      order by w.run_id
      limit $10
      for update of w skip locked
    ),
    turn as (
      select run_id, due_at as former_at,
        case when is_refilled then least(turn_at, greatest(last_turn_at, $1::timestamptz)) else turn_at end as due_at
      from locked cross join lateral (
        select $1::timestamptz
          + ${rescaled('extract(epoch from due_at - $1::timestamptz)', 'locked')}::float8 * interval '1 s' as turn_at
      ) moved
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
    changes.map((each) => each.isRefilled),
    limit,
  ],
});
