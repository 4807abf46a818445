import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Keys {
  baseUrl: string;
  secretKey: string;
  publicKey: string;
}

const timeoutMs = 5_000;

/** The folder in which the service keeps its data and its keys. */
export const dataDirOf = (env: NodeJS.ProcessEnv): string => env.DATA_DIR || '.holdfast';

export const keysFile = (env: NodeJS.ProcessEnv): string => join(dataDirOf(env), 'keys.json');

/**
 * The key for a running service: from the environment, or from its data directory. The stored key
 * is tried out, because a service may have several addresses. Throws if neither holds a valid key.
 */
export async function keyFor(baseUrl: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (env.HOLDFAST_API_KEY !== undefined) return env.HOLDFAST_API_KEY;
  const path = keysFile(env);
  const keys = await readKeys(path).catch(() => undefined);
  if (keys !== undefined && (await takes(baseUrl, keys.publicKey))) return keys.secretKey;
  throw new Error(`a service answers at ${baseUrl}, but ${path} holds no key for it: set HOLDFAST_API_KEY`);
}

export async function readKeys(path: string): Promise<Keys> {
  return JSON.parse(await readFile(path, 'utf8'));
}

/**
 * Whether the service lists its runs for this key. Tries the public key, because the server may be
 * a stranger.
 */
async function takes(baseUrl: string, key: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${baseUrl}/runs?limit=1`, { headers, signal: AbortSignal.timeout(timeoutMs) });
    return response.ok && Array.isArray(await response.json());
  } catch {
    return false;
  }
}
