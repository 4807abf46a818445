import { bigint, int, rowset, statement } from '../../db/index.ts';
import { ceilingLock } from '../../flow/policies/concurrency/index.ts';

/**
 * Runs wanted of a lane, with the slot of those that were queued before its workflow had a
 * `concurrency` policy.
 */
export interface LimitedDemand {
  laneId: number;
  limit: number;
  /** Null where the workflow has no such policy. */
  defaultSlot: string | null;
}

export interface PickedRow {
  runId: string;
  laneId: number;
  projectId: string;
  slot: string | null;
  /** Whether it has the slot by default, and does not know yet. */
  isUnscoped: boolean;
  position: number;
  /** Whether its project has a ceiling. */
  hasCeiling: boolean;
}

/**
 * Picks ready runs of lanes whose executing runs are counted, in order, and locks them; then takes
 * the locks of their slots and of their projects, in ascending order, so that nobody else grants
 * the same. A statement of its own: the next one sees what the former holders of these locks have
 * granted. Nobody who has one of them waits for a row.
 */
export const pickLimited = statement<PickedRow>('pickLimited').reads({
  params: {
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
        where state = 'ready' and lane_id = d.lane_id
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
