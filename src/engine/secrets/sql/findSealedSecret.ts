import { statement, text, uuid } from '../../db/index.ts';

export interface SecretRef {
  projectId: string;
  kind: string;
  name: string;
}

export const findSealedSecret = statement<{ sealed: Buffer; updatedAt: Date }>('findSealedSecret').reads({
  params: { projectId: uuid, kind: text, name: text },
  text: `
    select sealed, updated_at
    from sealed_secret
    where project_id = $projectId and kind = $kind and name = $name`,
});
