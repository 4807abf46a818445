import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  eventId: string;
}

/** A run that names an event was recorded with that event. */
export const runOfMissingEvent = defineCheck<Row>({
  invariant: 'I1',
  name: 'runOfMissingEvent',
  text: `
    select run.id as subject, run.project_id, run.event_id
    from run
    where run.id >= $floorId and run.event_id >= $floorId
      and not exists (select from event where event.id = run.event_id and event.project_id = run.project_id)
    limit $limit`,
  describe: ({ subject, eventId }) => `run ${subject} was started by event ${eventId}, which is not in the log`,
});
