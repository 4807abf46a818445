import { bytea, int, statement, text, uuid } from '../../db/index.ts';
import type { SecretRef } from './findSealedSecret.ts';

export interface ForeignSeal extends SecretRef {
  sealed: Buffer;
}

/**
 * The next secrets that begin with none of the prefixes, which are of one length: other operator
 * keys sealed them. Read at a start and by `secrets reseal` only, by a scan: the table holds few
 * rows for each app and webhook.
 */
export const listForeignSeals = statement<ForeignSeal>('listForeignSeals').reads({
  params: { prefixes: bytea.list, kinds: text.list, afterProject: uuid, afterKind: text, afterName: text, limit: int },
  text: `
    select project_id, kind, name, sealed
    from sealed_secret
    where substring(sealed from 1 for length(($prefixes)[1])) <> all ($prefixes)
      and kind = any($kinds)
      and (project_id, kind, name) > ($afterProject, $afterKind, $afterName)
    order by project_id, kind, name
    limit $limit`,
});
