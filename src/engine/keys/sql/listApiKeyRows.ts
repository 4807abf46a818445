import { statement } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

export interface ApiKeyListing {
  projectId: string | null;
  after: string | null;
  limit: number;
}

/** Newest first. There are few keys: what the index on `project_id` finds is sorted as it is. */
export const listApiKeyRows = statement<ApiKeyListing, ApiKey>({
  name: 'listApiKeyRows',
  writes: false,
  text: `
    select ${apiKeyColumns}
    from api_key
    where ($1::uuid is null or project_id = $1::uuid)
      and ($2::uuid is null or id < $2::uuid)
    order by id desc
    limit $3`,
  values: ({ projectId, after, limit }) => [projectId, after, limit],
});
