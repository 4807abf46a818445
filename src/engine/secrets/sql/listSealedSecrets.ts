import { statement, text, uuid } from '../../db/index.ts';

export interface SealedSecretRow {
  kind: string;
  name: string;
  sealed: Buffer;
}

/**
 * The secrets of a project, locked until the end of the transaction, so that rotations are
 * serialized.
 */
export const listSealedSecrets = statement<SealedSecretRow>('listSealedSecrets').reads({
  params: { projectId: uuid, kinds: text.list },
  text: `
    select kind, name, sealed
    from sealed_secret
    where project_id = $projectId and kind = any($kinds)
    order by kind, name
    for update`,
});
