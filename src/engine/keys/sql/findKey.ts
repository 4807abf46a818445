import { bytea, instant, statement } from '../../db/index.ts';

export interface KeyRow {
  id: string;
  projectId: string | null;
  name: string;
  kind: 'secret' | 'public' | 'platform';
  expiresAt: Date | null;
}

/** The key of a hash, unless revoked or expired. Uses the unique index on `token_hash`. */
export const findKey = statement<KeyRow>('findKey').reads({
  params: { now: instant, hash: bytea },
  text: `
    select id, project_id, name, kind, expires_at
    from api_key
    where token_hash = $hash
      and revoked_at is null
      and (expires_at is null or expires_at > $now)`,
});
