import { statement } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

export interface NewApiKeyRow {
  id: string;
  projectId: string | null;
  name: string;
  kind: ApiKey['kind'];
  hash: Buffer;
  hint: string;
  expiresAt: Date | null;
}

/** Returns nothing when the project does not exist. */
export const insertApiKey = statement<NewApiKeyRow, ApiKey>({
  name: 'insertApiKey',
  writes: true,
  text: `
    insert into api_key (id, project_id, name, kind, token_hash, hint, expires_at)
    select $1, $2::uuid, $3, $4, $5, $6, $7
    where $2::uuid is null or exists (select from project where project.id = $2::uuid)
    returning ${apiKeyColumns}`,
  values: (key) => [key.id, key.projectId, key.name, key.kind, key.hash, key.hint, key.expiresAt],
});
