import { bigint, int, rowset, statement, uuid } from '../../db/index.ts';
import { concurrencyLimit } from '../../flow/policies/concurrency/index.ts';

export interface SlotRow {
  slot: string;
  /** Null where the workflow has no `concurrency` policy any more. */
  max: number | null;
  inUse: number;
  /** The first run that waits for the slot; null when none does. */
  firstPosition: number | null;
  firstRunId: string | null;
  /**
   * Other runs that are ready, the first of them in order: somebody else may have picked them just
   * now.
   */
  readyPositions: number[] | null;
  readyRunIds: string[] | null;
}

/** Where more than this come first, a run may overtake the rest of them. */
const maxReady = 100;

/**
 * How many runs execute in each slot, how many may, and who is first in line. Exact under the locks
 * of `pickLimited`.
 */
export const countSlots = statement<SlotRow>('countSlots').reads({
  params: {
    /** Runs that ask, and are not to be told of as ready. */
    pickedIds: uuid.list,
    /** Slots, each with a lane of its workflow. */
    slots: rowset({ slot: bigint, laneId: int }),
  },
  text: `
    select s.slot::text, ${concurrencyLimit('s.lane_id')} as max,
      (select count(*) from run_work w where w.slot = s.slot and w.state = 'leased') as in_use,
      first.position as first_position, first.run_id as first_run_id, ready.positions as ready_positions,
      ready.run_ids as ready_run_ids
    from $slots as s
    left join lateral (
      select position, run_id from run_work w
      where w.state = 'gated' and w.gate = 'slot' and w.slot = s.slot
      order by w.position, w.run_id limit 1
    ) first on true
    cross join lateral (
      select array_agg(position) as positions, array_agg(run_id::text) as run_ids from (
        select position, run_id from run_work w
        where w.slot = s.slot and w.state = 'ready' and w.run_id <> all($pickedIds)
        order by w.position, w.run_id limit ${maxReady}
      ) others
    ) ready
  `,
});
