import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  leaseId: string;
}

/** A delivery that is being attempted has a living sender. Dead ones are found within 10 s. */
export const deliveryOfNoSender = defineCheck<Row>({
  invariant: 'I14',
  name: 'deliveryOfNoSender',
  text: `
    select w.delivery_id as subject, w.project_id, w.lease_id
    from webhook_work w
    where w.lease_id is not null
      and not exists (
        select from webhook_sender s where s.id = w.lease_id and s.heartbeat_at > $now - interval '15 seconds')
      and exists (select from webhook_sender s where s.heartbeat_at > $now - interval '6 seconds')
    limit $limit`,
  describe: ({ subject, leaseId }) => `delivery ${subject} is attempted by ${leaseId}, which is not alive`,
});
