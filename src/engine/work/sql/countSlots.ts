import { statement } from '../../db/statement.ts';
import { concurrencyLimit } from '../../flow/sql/limits.ts';

interface Params {
  /** Slots, each with a lane of its workflow. */
  slots: readonly { slot: string; laneId: number }[];
}

export interface SlotRow {
  slot: string;
  /** Null where the workflow has no `concurrency` policy any more. */
  max: number | null;
  in_use: number;
  /** The first run that waits for the slot; null when none does. */
  first_position: number | null;
  first_run_id: string | null;
}

/** How many runs execute in each slot, how many may, and who is first in line. Exact under the locks of `pickLimited`. */
export const countSlots = statement<Params, SlotRow>({
  name: 'countSlots',
  writes: false,
  text: `
    select s.slot::text, ${concurrencyLimit('s.lane_id')} as max,
      (select count(*) from run_work w where w.slot = s.slot and w.state = 'leased') as in_use,
      first.position as first_position, first.run_id as first_run_id
    from unnest($1::int8[], $2::int[]) as s(slot, lane_id)
    left join lateral (
      select position, run_id from run_work w
      where w.state = 'gated' and w.gate = 'slot' and w.slot = s.slot
      order by w.position, w.run_id limit 1
    ) first on true
  `,
  values: ({ slots }) => [slots.map((each) => each.slot), slots.map((each) => each.laneId)],
});
