import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  event_id: string;
}

/** A run that names an event was recorded with it. */
export const runOfMissingEvent = defineCheck<Row>({
  invariant: 'I1',
  name: 'runOfMissingEvent',
  text: `
    select run.id as subject, run.project_id, run.event_id
    from run
    where run.id >= $2::uuid and run.event_id >= $2::uuid
      and not exists (select from event where event.id = run.event_id and event.project_id = run.project_id)
    limit $1`,
  values: ({ floorId }) => [floorId],
  describe: ({ subject, event_id }) => `run ${subject} was started by event ${event_id}, which is not in the log`,
});
