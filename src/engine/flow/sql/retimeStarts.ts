import { bigint, bool, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import { lastInstantMs } from '../../instant.ts';
import { type PaceChange, paceColumns, rescaled } from './pace.ts';

/**
 * The pace of `throttle`. Both values are equal if the pace is unchanged, or the policy is absent.
 */
export interface StartChange extends PaceChange {
  app: string;
  name: string;
  /** Whether a former bucket (`tokenThrottle`) may have delayed the run. */
  hadBucket: boolean;
}

const lastSecond = lastInstantMs / 1000;

/**
 * Gives delayed runs the start times of their workflow's current policies, and returns the runs.
 * Turns move in proportion to the change of the pace. Runs that may wait for a bucket become due at
 * once, or at the latest turn, and are then checked again (`heldUntil`). Paused runs keep their new
 * time for after the pause. A run starts at no time before the one that its caller asked for, and a
 * run that owes a turn keeps its time.
 *
 * The statement waits for transactions that work on such a run, because they may have delayed it by
 * the former policy. So with a former bucket, runs that are already due are locked too. The locked
 * row then tells whether the run waits. Rates are locked before. Each part rides the index of its
 * state, by lane. `offset 0` keeps the planner from reading all later runs of any lane.
 */
export const retimeStarts = statement<{ runId: string }>('retimeStarts').writes({
  params: {
    at: timestamptz,
    projectId: uuid,
    /** The maximum number of runs. */
    limit: bigint,
    changes: rowset({
      app: text,
      name: text,
      ...paceColumns,
      hadBucket: bool,
    }),
  },
  text: `
    with changed as materialized (
      select c.*, coalesce((
        select to_timestamp(max(least(f.arrival_us / 1000000, ${lastSecond}))::float8) from flow_rate f
        where f.project_id = $projectId and f.policy = 'throttle' and f.app = c.app and f.workflow = c.name
      ), $at) as last_turn_at
      from $changes as c
    ),
    found as materialized (
      select start.run_id, c.former_count, c.former_per_ms, c.count, c.per_ms, c.had_bucket, c.last_turn_at
      from changed c
      join lane l on l.project_id = $projectId and l.app = c.app and l.workflow = c.name
      cross join lateral (
        select run_id, due_at, claim_no from run_work
        where lane_id = l.id and state in ('parked', 'gated') and state = 'parked' and owed_turn is null
        union all
        select run_id, due_at, claim_no from run_work
        where lane_id = l.id and state = 'paused' and resume_state = 'parked' and owed_turn is null
        offset 0
      ) start
      where start.claim_no = 0 and (start.due_at > $at or c.had_bucket)
      order by start.run_id
      limit $limit
    ),
    locked as materialized (
      select w.run_id, w.due_at, w.not_before, f.former_count, f.former_per_ms, f.count, f.per_ms, f.had_bucket, f.last_turn_at
      from found f join run_work w on w.run_id = f.run_id
      where 'parked' in (w.state, w.resume_state) and w.claim_no = 0
      order by w.run_id
      for update of w
    ),
    turn as (
      select run_id, due_at as former_at,
        greatest(not_before, case when had_bucket then least(turn_at, greatest(last_turn_at, $at)) else turn_at end) as due_at
      from locked cross join lateral (
        select to_timestamp(least(extract(epoch from $at)
          + ${rescaled('extract(epoch from due_at - $at)', 'locked')}, ${lastSecond})::float8) as turn_at
      ) moved
      where due_at > $at
    ),
    moved as (
      update run_work w set due_at = t.due_at, ends_at = w.ends_at + (t.due_at - t.former_at),
        position = w.position + (extract(epoch from t.due_at - t.former_at) * 1000000)::bigint
      from turn t
      where w.run_id = t.run_id
    )
    update run r set start_at = t.due_at from turn t where r.id = t.run_id
    returning r.id as run_id
  `,
});
