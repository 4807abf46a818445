import { bigint, int, rowset, statement, uuid } from '../../db/index.ts';
import { concurrencyLimit } from '../../flow/policies/concurrency/index.ts';

export interface SlotRow {
  slot: string;
  /** Null: the workflow has no `concurrency` policy any more. */
  max: number | null;
  inUse: number;
  /** The first run that is gated at the slot; null if there is none. */
  firstPosition: number | null;
  firstRunId: string | null;
  /** The first other ready runs, in queue order. Another claim may have picked them already. */
  readyPositions: number[] | null;
  readyRunIds: string[] | null;
}

/** If more ready runs than this come first, a run may overtake the rest of them. */
const maxReady = 100;

/**
 * The limit of each slot, its use (L1), and the runs that come first. Exact under the locks of
 * `pickLimited` (L3).
 */
export const countSlots = statement<SlotRow>('countSlots').reads({
  params: {
    /** The candidates, which are not listed as ready. */
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
