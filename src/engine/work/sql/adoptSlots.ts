import { statement } from '../../db/index.ts';

/** Writes the slot of runs that were queued before their workflow had a `concurrency` policy: that of the whole workflow. */
export const adoptSlots = statement<{ runs: readonly { runId: string; slot: string }[] }, never>({
  name: 'adoptSlots',
  writes: true,
  text: `
    update run_work w set slot = a.slot, slot_key = ''
    from unnest($1::uuid[], $2::int8[]) as a(run_id, slot)
    where w.run_id = a.run_id and w.slot is null
  `,
  values: ({ runs }) => [runs.map((each) => each.runId), runs.map((each) => each.slot)],
});
