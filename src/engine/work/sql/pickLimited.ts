import { bigint, instant, int, rowset, statement } from '../../db/index.ts';
import { ceilingLock } from '../../flow/policies/concurrency/index.ts';
import { isNotExpired } from './leasing.ts';

/** A demand for a lane with a limit. */
export interface LimitedDemand {
  laneId: number;
  limit: number;
  /**
   * The slot of runs that were queued before the workflow had a `concurrency` policy. Null without
   * such a policy.
   */
  defaultSlot: string | null;
}

export interface PickedRow {
  runId: string;
  laneId: number;
  projectId: string;
  slot: string | null;
  /** Whether its slot is the default, and is not stored yet (`adoptSlots`). */
  isUnscoped: boolean;
  position: number;
  /** Whether its project has a ceiling. */
  hasCeiling: boolean;
}

/**
 * Picks and locks ready runs of limited lanes, in queue order. Then takes the advisory locks of
 * their slots and projects (L2), in ascending order, so that no other claim grants the same slots.
 * The picking is a statement of its own: the next one sees the grants of the former lock holders. A
 * holder of such a lock never waits for a row.
 */
export const pickLimited = statement<PickedRow>('pickLimited').reads({
  params: {
    now: instant,
    demands: rowset({
      laneId: int,
      n: int.of((each: LimitedDemand) => each.limit),
      slot: bigint.orNull.of((each: LimitedDemand) => each.defaultSlot),
    }),
  },
  text: `
    with picked as materialized (
      select w.run_id, w.lane_id, w.project_id, coalesce(w.slot, d.slot) as slot,
        w.slot is null and d.slot is not null as is_unscoped, w.position, p.concurrency_ceiling > 0 as has_ceiling
      from $demands as d
      cross join lateral (
        select run_id, lane_id, project_id, slot, position from run_work
        where state = 'ready' and lane_id = d.lane_id and ${isNotExpired}
        order by position, run_id limit d.n
        for update skip locked
      ) w
      join project p on p.id = w.project_id
    ),
    locked as materialized (
      select pg_advisory_xact_lock(key) from (
        select slot as key from picked where slot is not null
        union
        select ${ceilingLock('project_id')} from picked where has_ceiling
        order by key offset 0
      ) keys
    )
    select run_id, lane_id, project_id, slot::text, is_unscoped, position, has_ceiling
    from picked
    where (select count(*) from locked) >= 0
    order by position, run_id
  `,
});
