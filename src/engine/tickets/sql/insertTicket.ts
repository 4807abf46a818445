import { bigint, bytea, float8, instant, statement, text, uuid } from '../../db/index.ts';

/**
 * Inserts a ticket, unless its key has `max` tickets that are neither used nor expired. Counts them
 * on `stream_ticket_key_id_expires_at_idx`, up to the maximum. Tickets that are inserted at the
 * same time do not see each other, so a key may have a few more.
 */
export const insertTicket = statement<{ expiresAt: Date }>('insertTicket').writes({
  params: {
    now: instant,
    tokenHash: bytea,
    projectId: uuid,
    keyId: uuid,
    path: text.orNull,
    /** The key that a code of the console opens. */
    sealedKey: bytea.orNull,
    lifeMs: float8,
    max: bigint,
  },
  text: `
    insert into stream_ticket (token_hash, project_id, key_id, path, sealed_key, expires_at)
    select $tokenHash, $projectId, $keyId, $path, $sealedKey, $now + $lifeMs * interval '1 ms'
    where $max > (
      select count(*) from (
        select from stream_ticket where key_id = $keyId and expires_at > $now limit $max
      ) as valid
    )
    returning expires_at
  `,
});
