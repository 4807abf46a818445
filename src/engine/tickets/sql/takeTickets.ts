import { bytea, instant, statement } from '../../db/index.ts';

export interface TicketRow {
  /** The SHA-256 of the ticket in hex. */
  hash: string;
  projectId: string;
  path: string | null;
  /** Null for the ticket of a stream. */
  sealedKey: Buffer | null;
  keyId: string;
  keyName: string;
}

/**
 * Deletes tickets and returns them, so that each is used once, by one of many processes. Does not
 * take expired ones, and those whose key has ended. Rides the primary keys.
 */
export const takeTickets = statement<TicketRow>('takeTickets').writes({
  params: { now: instant, hashes: bytea.list },
  text: `
    delete from stream_ticket t
    using api_key k
    where t.token_hash = any($hashes)
      and t.expires_at > $now
      and k.id = t.key_id
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > $now)
    returning encode(t.token_hash, 'hex') as hash, t.project_id, t.path, t.sealed_key, k.id as key_id, k.name as key_name
  `,
});
