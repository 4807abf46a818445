import { bigint, statement, uuid } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

/** Newest first. There are few keys, so the rows of the index on `project_id` are simply sorted. */
export const listApiKeyRows = statement<ApiKey>('listApiKeyRows').reads({
  params: { projectId: uuid.orNull, after: uuid.orNull, limit: bigint },
  text: `
    select ${apiKeyColumns}
    from api_key
    where ($projectId is null or project_id = $projectId)
      and ($after is null or id < $after)
    order by id desc
    limit $limit`,
});
