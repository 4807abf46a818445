import { bytea, instant, statement, text, uuid } from '../../db/index.ts';
/**
 * Stores a secret unless there is one: of several that race to make it, one is kept. The same holds
 * where they race to replace one that is unreadable: the condition is checked on the row as the
 * winner left it. Returns nothing when another is kept.
 */
export const addSealedSecret = statement<{ name: string }>('addSealedSecret').writes({
  params: {
    now: instant,
    projectId: uuid,
    kind: text,
    name: text,
    sealed: bytea,
    /** A stored secret that nobody can open any more, byte for byte: it may be replaced. */
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
