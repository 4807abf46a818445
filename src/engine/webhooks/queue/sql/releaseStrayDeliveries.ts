import { statement, uuid } from '../../../db/index.ts';

/** Frees the leases of a sender that it does not know, because an answer was lost. */
export const releaseStrayDeliveries = statement<{ deliveryId: string }>('releaseStrayDeliveries').writes({
  params: { senderId: uuid, known: uuid.list },
  text: `
    update webhook_work
    set lease_id = null
    where lease_id is not null and lease_id = $senderId and delivery_id <> all($known)
    returning delivery_id
  `,
});
