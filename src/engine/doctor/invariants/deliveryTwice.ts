import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  kind: string;
  deliveries: number;
}

/** A change of a run or a step makes one delivery for an endpoint. */
export const deliveryTwice = defineCheck<Row>({
  invariant: 'I7',
  name: 'deliveryTwice',
  text: `
    select run_id as subject, project_id, event_kind as kind, count(*)::int as deliveries
    from webhook_delivery
    where run_id >= $floorId and endpoint_id is not null and not is_test
    group by run_id, project_id, endpoint_id, event_kind, step_index, step_attempt
    having count(*) > 1
    limit $limit`,
  describe: ({ subject, kind, deliveries }) =>
    `run ${subject} has ${deliveries} deliveries of ${kind} for one endpoint`,
});
