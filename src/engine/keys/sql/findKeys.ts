import { bytea, instant, statement } from '../../db/index.ts';

export interface KeyRow {
  /** The SHA-256 of the key in hex. */
  hash: string;
  id: string;
  projectId: string | null;
  name: string;
  kind: 'secret' | 'public' | 'platform';
  expiresAt: Date | null;
}

/**
 * The keys of the given hashes, without those that are revoked or expired. Uses the unique index on
 * `token_hash`.
 */
export const findKeys = statement<KeyRow>('findKeys').reads({
  params: { now: instant, hashes: bytea.list },
  text: `
    select encode(token_hash, 'hex') as hash, id, project_id, name, kind, expires_at
    from api_key
    where token_hash = any($hashes)
      and revoked_at is null
      and (expires_at is null or expires_at > $now)`,
});
