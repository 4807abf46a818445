import { statement, uuid } from '../../../db/index.ts';

interface Row {
  deliveryId: string;
  projectId: string;
}

/**
 * Frees all leases of senders, and deletes their rows. The transaction has locked those that have
 * one. No attempt is recorded, so the number of the next attempt is that of the lost one.
 */
export const freeSenders = statement<Row>('freeSenders').writes({
  params: { senderIds: uuid.list },
  text: `
    with gone as (
      delete from webhook_sender where id = any($senderIds)
    )
    update webhook_work
    set lease_id = null
    where lease_id is not null and lease_id = any($senderIds)
    returning delivery_id, project_id
  `,
});
