import { statement } from '../../db/statement.ts';
import type { SecretPlace } from './findSealedSecret.ts';

/** Stores a secret unless there is one: of several that race to make it, one is kept. */
export const addSealedSecret = statement<SecretPlace & { sealed: Buffer; now: Date | null }, { name: string }>({
  name: 'addSealedSecret',
  writes: true,
  text: `
    insert into sealed_secret (project_id, kind, name, sealed, updated_at)
    values ($1, $2, $3, $4, coalesce($5::timestamptz, now()))
    on conflict (project_id, kind, name) do nothing
    returning name`,
  values: ({ projectId, kind, name, sealed, now }) => [projectId, kind, name, sealed, now],
});
