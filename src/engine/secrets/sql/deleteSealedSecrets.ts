import { statement, text, uuid } from '../../db/index.ts';

export const deleteSealedSecrets = statement<{ kind: string }>('deleteSealedSecrets').writes({
  params: { projectId: uuid, kinds: text.list, name: text },
  text: `
    delete from sealed_secret
    where project_id = $projectId and kind = any($kinds) and name = $name
    returning kind`,
});
