import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  seq: number;
}

/** The numbers of a project's events end with its head, and have no hole in the window. */
export const eventSeqAgainstHead = defineCheck<Row>({
  invariant: 'I18',
  name: 'eventSeqAgainstHead',
  text: `
    select event_head.project_id as subject, event_head.project_id, event_head.seq
    from event_head
    where event_head.seq is distinct from (select max(seq) from event_seq where event_seq.project_id = event_head.project_id)
    union all
    select after.event_id, after.project_id, after.seq - 1
    from event_seq after
    where after.event_id >= $floorId and after.seq > 1
      and not exists (select from event_seq where project_id = after.project_id and seq = after.seq - 1)
    limit $limit`,
  describe: ({ subject, seq }) => `number ${seq} of the project's events, at ${subject}, is not that of an event`,
});
