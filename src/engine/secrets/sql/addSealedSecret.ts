import { statement } from '../../db/index.ts';
import type { SecretPlace } from './findSealedSecret.ts';

export interface AddedSecret extends SecretPlace {
  sealed: Buffer;
  /** A stored secret that nobody can open any more, byte for byte: it may be replaced. */
  unreadable: Buffer | undefined;
  now: Date | null;
}

/**
 * Stores a secret unless there is one: of several that race to make it, one is kept. The same holds where they race to replace
 * one that is unreadable: the condition is checked on the row as the winner left it. Returns nothing when another is kept.
 */
export const addSealedSecret = statement<AddedSecret, { name: string }>({
  name: 'addSealedSecret',
  writes: true,
  text: `
    insert into sealed_secret (project_id, kind, name, sealed, updated_at)
    values ($1, $2, $3, $4, coalesce($5::timestamptz, now()))
    on conflict (project_id, kind, name) do update
      set sealed = excluded.sealed, updated_at = excluded.updated_at
      where sealed_secret.sealed = $6::bytea
    returning name`,
  values: ({ projectId, kind, name, sealed, unreadable, now }) => [
    projectId,
    kind,
    name,
    sealed,
    now,
    unreadable ?? null,
  ],
});
