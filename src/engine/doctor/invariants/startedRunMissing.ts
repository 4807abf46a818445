import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  runId: string;
  workflow: string;
}

/** Each run that an event's record names exists, in the event's project. */
export const startedRunMissing = defineCheck<Row>({
  invariant: 'I1',
  name: 'startedRunMissing',
  text: `
    select event.id as subject, event.project_id, started.entry ->> 'runId' as run_id,
      started.entry ->> 'workflow' as workflow
    from event
    cross join lateral json_array_elements(event.triggered) as started (entry)
    where event.id >= $floorId
      and started.entry ->> 'runId' is not null
      and not exists (
        select from run
        where run.id = (started.entry ->> 'runId')::uuid and run.project_id = event.project_id)
    limit $limit`,
  describe: ({ runId, workflow, subject }) =>
    `event ${subject} names run ${runId} of ${workflow}, which does not exist`,
});
