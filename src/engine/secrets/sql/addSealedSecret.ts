import { bytea, instant, statement, text, uuid } from '../../db/index.ts';
/**
 * Stores a secret unless there is one, so that concurrent processes keep one. The same holds when
 * they replace an unreadable one: `on conflict` checks the condition on the winner's row. Returns
 * no row if another secret is kept.
 */
export const addSealedSecret = statement<{ name: string }>('addSealedSecret').writes({
  params: {
    now: instant,
    projectId: uuid,
    kind: text,
    name: text,
    sealed: bytea,
    /** The bytes of a stored secret that cannot be opened, and may be replaced. */
    unreadable: bytea.orNull,
  },
  text: `
    insert into sealed_secret (project_id, kind, name, sealed, updated_at)
    values ($projectId, $kind, $name, $sealed, $now)
    on conflict (project_id, kind, name) do update
      set sealed = excluded.sealed, updated_at = excluded.updated_at
      where sealed_secret.sealed = $unreadable
    returning name`,
});
