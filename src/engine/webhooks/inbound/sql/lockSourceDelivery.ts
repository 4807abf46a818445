import { statement, uuid } from '../../../db/index.ts';

/** Locks a delivery until the end of the transaction, so that its replays are serialized. */
export const lockSourceDelivery = statement<{ id: string }>('lockSourceDelivery').reads({
  params: { id: uuid },
  text: 'select id from webhook_source_delivery where id = $id for update',
});
