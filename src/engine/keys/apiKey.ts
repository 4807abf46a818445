/** A key as its owner may see it: the token itself is shown once, when it is made. */
export interface ApiKey {
  id: string;
  /** Null on a platform key, which names its project with each call. */
  projectId: string | null;
  name: string;
  kind: 'secret' | 'public' | 'platform';
  hint: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Coarse: up to about a minute behind. */
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** The columns of an `ApiKey`, for the statements of this domain. */
export const apiKeyColumns = 'id, project_id, name, kind, hint, expires_at, revoked_at, last_used_at, created_at';
