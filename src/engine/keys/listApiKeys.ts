import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { pageSize } from '../projects/index.ts';
import type { ApiKey } from './apiKey.ts';
import { listApiKeyRows } from './sql/listApiKeyRows.ts';

export interface ApiKeyPage {
  /** Only keys of this project; absent: all keys, platform keys included. */
  projectId?: string | undefined;
  /** Id of the last key of the page before. */
  after?: string | undefined;
  /** 1 to 1000, 100 by default. */
  limit?: number | undefined;
}

/** Keys, newest first, revoked and expired ones included. */
export async function listApiKeys(ctx: EngineContext, { projectId, after, limit }: ApiKeyPage = {}): Promise<ApiKey[]> {
  if (projectId !== undefined && !isId(projectId)) throw notFound('project not found');
  if (after !== undefined && !isId(after)) throw invalid('after: must be the id of a key');
  const size = pageSize(limit, { byDefault: 100, max: 1000 });
  return listApiKeyRows(ctx.db, { projectId, after, limit: size });
}
