import { int, rowset, statement, uuid } from '../../../db/index.ts';

/** Frees the leases of a sender that it does not know, because an answer was lost. */
export const releaseStrayDeliveries = statement<{ deliveryId: string }>('releaseStrayDeliveries').writes({
  params: { senderId: uuid, known: rowset({ deliveryId: uuid, claimNo: int }) },
  text: `
    update webhook_work
    set lease_id = null
    where lease_id is not null and lease_id = $senderId and (delivery_id, claim_no) not in (select k.delivery_id, k.claim_no from $known as k)
    returning delivery_id
  `,
});
