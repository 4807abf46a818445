import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  status: string;
}

/** A delivery that is still to be attempted has work. */
export const deliveryWithoutWork = defineCheck<Row>({
  invariant: 'I14',
  name: 'deliveryWithoutWork',
  text: `
    select d.id as subject, d.project_id, d.status
    from webhook_delivery d
    where d.id >= $floorId and d.status in ('pending', 'failed')
      and not exists (select from webhook_work w where w.delivery_id = d.id)
    limit $limit`,
  describe: ({ subject, status }) => `delivery ${subject} is ${status}, and nothing will attempt it`,
});
