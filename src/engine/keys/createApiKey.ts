import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId, newId } from '../ids.ts';
import { checkName } from '../projects/index.ts';
import type { ApiKey } from './apiKey.ts';
import { mintKey } from './keys.ts';
import { insertApiKey } from './sql/insertApiKey.ts';

export interface NewApiKey {
  /** Required for secret and public keys. A platform key with a project acts for that one only, else for any. */
  projectId?: string | undefined;
  name: string;
  kind: ApiKey['kind'];
  /** Absent: it never expires. */
  expiresAt?: Date | undefined;
}

export interface IssuedKey {
  apiKey: ApiKey;
  /** The key itself. This is the only time that anyone sees it. */
  token: string;
}

const kinds: readonly string[] = ['secret', 'public', 'platform'] satisfies ApiKey['kind'][];

/** Issues a key. Throws `invalid` naming the field, or `notFound` when the project does not exist. */
export async function createApiKey(ctx: EngineContext, input: NewApiKey): Promise<IssuedKey> {
  const { name, kind, expiresAt } = input;
  checkName('name', name);
  if (!kinds.includes(kind)) throw invalid(`kind: must be one of ${kinds.join(', ')}`);
  checkExpiry(ctx, expiresAt);
  const isUnbound = kind === 'platform' && input.projectId === undefined;
  const projectId = isUnbound ? null : owningProject(input.projectId);
  const { token, hash, hint } = mintKey(kind);
  const row = { id: newId(), projectId, name, kind, hash, hint, expiresAt };
  const [apiKey] = await insertApiKey(ctx.db, row);
  if (!apiKey) throw notFound('project not found');
  ctx.log.info({ keyId: apiKey.id, projectId, name, kind }, 'key issued');
  return { apiKey, token };
}

function owningProject(projectId: string | undefined): string {
  if (projectId === undefined) throw invalid('projectId: required for secret and public keys');
  if (!isId(projectId)) throw notFound('project not found');
  return projectId;
}

function checkExpiry(ctx: EngineContext, expiresAt: Date | undefined): void {
  if (expiresAt === undefined) return;
  if (Number.isNaN(expiresAt.getTime())) throw invalid('expiresAt: must be a timestamp');
  if (expiresAt <= ctx.clock.now()) throw invalid('expiresAt: must be in the future');
  if (expiresAt.getUTCFullYear() > 9999) throw invalid('expiresAt: must be before the year 10000');
}
