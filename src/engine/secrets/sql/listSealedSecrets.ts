import { statement } from '../../db/index.ts';

export interface SealedSecretRow {
  kind: string;
  name: string;
  sealed: Buffer;
}

/** All secrets of a project, locked until the transaction ends: two rotations follow one another. */
export const listSealedSecrets = statement<{ projectId: string }, SealedSecretRow>({
  name: 'listSealedSecrets',
  writes: false,
  text: `
    select kind, name, sealed
    from sealed_secret
    where project_id = $1
    order by kind, name
    for update`,
  values: ({ projectId }) => [projectId],
});
