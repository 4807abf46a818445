import { defineCheck, type FoundRow, leadingField } from './check.ts';

interface Row extends FoundRow {
  woke: number;
  held: number;
}

/**
 * `woke` counts the runs that the event names. Each of them holds the event in the memo of a wait.
 */
export const wokeMiscounted = defineCheck<Row>({
  invariant: 'I9',
  name: 'wokeMiscounted',
  text: `
    select event.id as subject, event.project_id, event.woke, holders.held
    from event
    cross join lateral (
      select count(distinct run_step.run_id) as held
      from run_step
      where run_step.run_id = any(event.woke_runs)
        and run_step.op = 'WaitForEvent' and run_step.status = 'succeeded'
        and ${leadingField('run_step.output', 'id')} = event.id::text
    ) holders
    where event.id >= $floorId
      and (event.woke > 0 or cardinality(event.woke_runs) > 0)
      and (event.woke <> holders.held or event.woke <> cardinality(event.woke_runs))
    limit $limit`,
  describe: ({ subject, woke, held }) =>
    `event ${subject} records ${woke} woken runs, but ${held} of the runs that it names hold it`,
});
