import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  kind: string;
  deliveryId: string;
}

/** A delivery tells of a change that was made: the run has that status, or its step has. */
export const deliveryOfNothing = defineCheck<Row>({
  invariant: 'I7',
  name: 'deliveryOfNothing',
  text: `
    select d.run_id as subject, d.project_id, d.event_kind as kind, d.id as delivery_id
    from webhook_delivery d
    where d.run_id >= $floorId and d.endpoint_id is not null and not d.is_test
      and case when d.step_index is null then not exists (
          select from run r where r.id = d.run_id and 'run.' || r.status = d.event_kind)
        else not exists (
          select from run_step s
          where s.run_id = d.run_id and s.index = d.step_index and s.attempt = d.step_attempt
            and 'step.' || s.status = d.event_kind and not s.will_retry) end
    limit $limit`,
  describe: ({ subject, kind, deliveryId }) =>
    `delivery ${deliveryId} tells of ${kind}, which run ${subject} does not show`,
});
