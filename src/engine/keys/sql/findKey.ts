import { statement } from '../../db/index.ts';

export interface KeyRow {
  id: string;
  projectId: string | null;
  name: string;
  kind: 'secret' | 'public' | 'platform';
  expiresAt: Date | null;
}

/** The key behind a hash, unless revoked or past its expiry. Rides the unique index on `token_hash`. */
export const findKey = statement<{ hash: Buffer; now: Date | null }, KeyRow>({
  name: 'findKey',
  writes: false,
  text: `
    select id, project_id as "projectId", name, kind, expires_at as "expiresAt"
    from api_key
    where token_hash = $1
      and revoked_at is null
      and (expires_at is null or expires_at > coalesce($2::timestamptz, now()))`,
  values: ({ hash, now }) => [hash, now],
});
