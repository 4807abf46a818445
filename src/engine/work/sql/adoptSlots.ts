import { bigint, rowset, statement, uuid } from '../../db/index.ts';

/**
 * Stores the slot of runs that were queued before their workflow had a `concurrency` policy: the
 * slot of the whole workflow.
 */
export const adoptSlots = statement<never>('adoptSlots').writes({
  params: {
    runs: rowset({ runId: uuid, slot: bigint }),
  },
  text: `
    update run_work w set slot = a.slot, slot_key = ''
    from $runs as a
    where w.run_id = a.run_id and w.slot is null
  `,
});
