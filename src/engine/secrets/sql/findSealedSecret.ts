import { statement } from '../../db/index.ts';

export interface SecretPlace {
  projectId: string;
  kind: string;
  name: string;
}

export const findSealedSecret = statement<SecretPlace, { sealed: Buffer; updatedAt: Date }>({
  name: 'findSealedSecret',
  writes: false,
  text: `
    select sealed, updated_at as "updatedAt"
    from sealed_secret
    where project_id = $1 and kind = $2 and name = $3`,
  values: ({ projectId, kind, name }) => [projectId, kind, name],
});
