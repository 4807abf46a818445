/** A key without its token, which is shown once, when the key is created. */
export interface ApiKey {
  id: string;
  /** Null for a platform key that names its project in each call. */
  projectId: string | null;
  name: string;
  kind: 'secret' | 'public' | 'platform';
  hint: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Approximate: up to about a minute behind. */
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** The columns of an `ApiKey`. */
export const apiKeyColumns = 'id, project_id, name, kind, hint, expires_at, revoked_at, last_used_at, created_at';
