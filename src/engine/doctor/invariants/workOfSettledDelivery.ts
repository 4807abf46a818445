import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  status: string | null;
}

/** A delivery with work is still to be attempted. */
export const workOfSettledDelivery = defineCheck<Row>({
  invariant: 'I14',
  name: 'workOfSettledDelivery',
  text: `
    select w.delivery_id as subject, w.project_id, d.status
    from webhook_work w left join webhook_delivery d on d.id = w.delivery_id
    where d.status is null or d.status not in ('pending', 'failed')
    limit $limit`,
  describe: ({ subject, status }) => `delivery ${subject} is ${status ?? 'missing'}, but is to be attempted`,
});
