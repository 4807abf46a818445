import { bytea, int, statement, text, uuid } from '../../db/index.ts';
import type { SecretRef } from './findSealedSecret.ts';

export interface ForeignSeal extends SecretRef {
  sealed: Buffer;
}

/**
 * The next secrets that do not begin with `prefix`: another operator key sealed them. Read at the
 * start only, by a scan: the table holds few rows for each app.
 */
export const listForeignSeals = statement<ForeignSeal>('listForeignSeals').reads({
  params: { prefix: bytea, kinds: text.list, afterProject: uuid, afterKind: text, afterName: text, limit: int },
  text: `
    select project_id, kind, name, sealed
    from sealed_secret
    where substring(sealed from 1 for length($prefix)) <> $prefix
      and kind = any($kinds)
      and (project_id, kind, name) > ($afterProject, $afterKind, $afterName)
    order by project_id, kind, name
    limit $limit`,
});
