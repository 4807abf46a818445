import { createHmac } from 'node:crypto';
import { projectKey, type SealContext } from '../../secrets/index.ts';
import type { InferRequest } from '../request/inferRequest.ts';

export interface CacheQuestion {
  projectId: string;
  /** Where the call goes; undefined: the provider's own address. */
  baseUrl: string | undefined;
  request: InferRequest;
}

/**
 * The key under which equal requests of a project share an answer (8): an HMAC of all fields but
 * `price` and `cache`. The secret belongs to the project. So keys tell nothing about prompts, and
 * two projects never have the same one.
 */
export function cacheKeyOf(ctx: SealContext, { projectId, baseUrl, request }: CacheQuestion): Buffer {
  const fields = Object.entries(request).filter(([name]) => name !== 'price' && name !== 'cache');
  const text = canonicalJson([baseUrl ?? null, Object.fromEntries(fields)]);
  return createHmac('sha256', projectKey(ctx, projectId, 'inference-cache'))
    .update(text)
    .digest();
}

/** JSON text with sorted fields: equal values have equal texts. Undefined fields are absent. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`);
  return `{${fields.join()}}`;
}
