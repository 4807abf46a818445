import { float8, instant, statement, uuid } from '../../../db/index.ts';

/**
 * Locks senders that are silent. A statement that leases to a sender holds its row meanwhile (`for
 * key share`), so it is skipped here. Once locked, the next statement sees all of its leases.
 */
export const lockSilentSenders = statement<{ id: string }>('lockSilentSenders').reads({
  params: { now: instant, senderId: uuid, silenceMs: float8 },
  text: `
    select id from webhook_sender
    where id <> $senderId and heartbeat_at < $now - $silenceMs * interval '1 ms'
    order by id
    for update skip locked
  `,
});

/** Locks a sender that stops, once no lease to it is being written. */
export const lockSender = statement<{ id: string }>('lockSender').reads({
  params: { senderId: uuid },
  text: 'select id from webhook_sender where id = $senderId for update',
});
