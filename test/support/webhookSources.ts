import { createHmac } from 'node:crypto';
import type { EngineContext } from '../../src/engine/context.ts';
import { createSource, type NewSource, tokenOf } from '../../src/engine/webhooks/config/index.ts';

export interface TestSource {
  id: string;
  projectId: string;
  token: string;
  secret: string;
  path: string;
}

/** Creates a source in a project. */
export async function createTestSource(
  engine: EngineContext,
  projectId: string,
  settings: Partial<NewSource> = {},
): Promise<TestSource> {
  const given = { projectId, actor: 'a test', eventName: 'order.paid', ...settings };
  const { source, secret = '' } = await createSource(engine, given);
  const token = tokenOf(engine, source) ?? '';
  return { id: source.id, projectId, token, secret, path: `/webhooks/${token}` };
}

export const hmac = (key: string | Uint8Array, ...parts: (string | Uint8Array)[]): Buffer => {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
};

/** The headers of the scheme `service`. */
export function serviceHeaders(
  secret: string | readonly string[],
  body: string | Uint8Array,
  atMs = Date.now(),
): Record<string, string> {
  const t = Math.floor(atMs / 1000);
  const pairs = [secret].flat().map((each) => `&s=${hmac(each, `${t}.`, body).toString('hex')}`);
  return { 'x-service-signature': `t=${t}${pairs.join('')}` };
}
