import { bytea, rowset, statement, text, uuid } from '../../db/index.ts';

/**
 * Replaces the bytes of secrets that still hold `unreadable`. Their text stays the same, so
 * `updated_at`, from which a rotation's overlap counts, stays too.
 */
export const resealSecrets = statement<{ name: string }>('resealSecrets').writes({
  params: { secrets: rowset({ projectId: uuid, kind: text, name: text, sealed: bytea, unreadable: bytea }) },
  text: `
    update sealed_secret
    set sealed = given.sealed
    from $secrets as given
    where sealed_secret.project_id = given.project_id
      and sealed_secret.kind = given.kind
      and sealed_secret.name = given.name
      and sealed_secret.sealed = given.unreadable
    returning sealed_secret.name`,
});
