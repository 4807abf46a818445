import { defineCheck } from './check.ts';

/** Once its waiters were looked up, an event has its number: until then streams do not tell it. */
export const eventUnnumbered = defineCheck({
  invariant: 'I1',
  name: 'eventUnnumbered',
  text: `
    select event.id as subject, event.project_id
    from event
    where event.id >= $floorId
      and not exists (select from event_pending where event_pending.event_id = event.id)
      and not exists (
        select from event_seq where event_seq.event_id = event.id and event_seq.project_id = event.project_id)
    limit $limit`,
  describe: ({ subject }) => `event ${subject} was delivered, and has no number among the events of its project`,
});
