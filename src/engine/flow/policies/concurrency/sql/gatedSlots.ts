import { bigint, statement } from '../../../../db/index.ts';

/**
 * The next slots with waiting runs, in order of their digests. Hops from slot to slot over
 * `run_work_gated_idx`, so the number of runs per slot does not matter.
 */
export const gatedSlots = statement<{ slot: string }>('gatedSlots').reads({
  params: { after: bigint, limit: bigint },
  text: `
    with recursive hop as (
      (select slot from run_work where state = 'gated' and gate = 'slot' and slot > $after order by slot limit 1)
      union all
      select (select w.slot from run_work w where w.state = 'gated' and w.gate = 'slot' and w.slot > hop.slot
              order by w.slot limit 1)
      from hop where hop.slot is not null
    )
    select slot::text from hop where slot is not null limit $limit
  `,
});
