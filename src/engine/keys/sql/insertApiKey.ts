import { bytea, statement, text, timestamptz, uuid } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

/** Returns no row if the project does not exist. */
export const insertApiKey = statement<ApiKey>('insertApiKey').writes({
  params: {
    id: uuid,
    projectId: uuid.orNull,
    name: text,
    kind: text,
    hash: bytea,
    hint: text,
    expiresAt: timestamptz.orNull,
  },
  text: `
    insert into api_key (id, project_id, name, kind, token_hash, hint, expires_at)
    select $id, $projectId, $name, $kind, $hash, $hint, $expiresAt
    where $projectId is null or exists (select from project where project.id = $projectId)
    returning ${apiKeyColumns}`,
});
