import { statement, uuid } from '../../db/index.ts';

export interface SealedSecretRow {
  kind: string;
  name: string;
  sealed: Buffer;
}

/**
 * All secrets of a project, locked until the transaction ends: two rotations follow one another.
 */
export const listSealedSecrets = statement<SealedSecretRow>('listSealedSecrets').reads({
  params: { projectId: uuid },
  text: `
    select kind, name, sealed
    from sealed_secret
    where project_id = $projectId
    order by kind, name
    for update`,
});
