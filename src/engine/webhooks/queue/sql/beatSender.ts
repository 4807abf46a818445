import { bool, float8, instant, statement, uuid } from '../../../db/index.ts';

interface Row {
  /** Whether the sender is registered, so others have not found it dead. */
  isAlive: boolean;
  /** The instant of this beat. */
  now: Date;
  /** Whether another sender is silent. */
  hasSilent: boolean;
  /** Whether another sender holds leases. */
  hasOthers: boolean;
}

/**
 * Renews a sender's heartbeat if it holds leases, and looks for silent ones. A heartbeat more than
 * a minute ahead dates from before the clock went back, and counts as of now.
 */
export const beatSender = statement<Row>('beatSender').writes({
  params: { now: instant, senderId: uuid, beats: bool, silenceMs: float8 },
  text: `
    with ahead as (
      select id from webhook_sender
      where heartbeat_at > $now + interval '1 minute' and id <> $senderId
      for update skip locked
    ),
    brought_back as (
      update webhook_sender s set heartbeat_at = $now from ahead where s.id = ahead.id
    ),
    beat as (
      update webhook_sender set heartbeat_at = $now where id = $senderId and $beats
    )
    select
      exists (select from webhook_sender where id = $senderId) as is_alive,
      $now as now,
      exists (
        select from webhook_sender where id <> $senderId and heartbeat_at < $now - $silenceMs * interval '1 ms'
      ) as has_silent,
      exists (select from webhook_work where lease_id is not null and lease_id <> $senderId) as has_others
  `,
});
