import { int, rowset, statement, uuid } from '../../../db/index.ts';

/**
 * Frees deliveries that were leased but not attempted. They are due as before. For `is not distinct
 * from` see `settleAttempts`.
 */
export const releaseDeliveries = statement<{ deliveryId: string }>('releaseDeliveries').writes({
  params: { senderId: uuid, leases: rowset({ deliveryId: uuid, claimNo: int }) },
  text: `
    update webhook_work w
    set lease_id = null
    from $leases as l
    where w.delivery_id = l.delivery_id and w.claim_no = l.claim_no and w.lease_id is not distinct from $senderId
    returning w.delivery_id
  `,
});
