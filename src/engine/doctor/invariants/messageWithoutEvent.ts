import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  eventId: string | null;
}

/** An ingested message of a source has its event. */
export const messageWithoutEvent = defineCheck<Row>({
  invariant: 'I15',
  name: 'messageWithoutEvent',
  text: `
    select m.id as subject, m.project_id, m.event_id
    from webhook_source_delivery m
    where m.id >= $floorId and m.status = 'ingested'
      and not exists (select from event e where e.id = m.event_id and e.source = 'webhook')
    limit $limit`,
  describe: ({ subject, eventId }) => `inbound delivery ${subject} was ingested, but event ${eventId} is not there`,
});
