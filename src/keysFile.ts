import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { EngineContext } from './engine/context.ts';
import { HoldfastError } from './engine/errors.ts';
import { authenticate, createApiKey, mintKey } from './engine/keys/index.ts';

/** The content of `keys.json`, which a first client needs. */
export interface Keys {
  baseUrl: string;
  operatorKey: string;
  projectId: string;
  secretKey: string;
  publicKey: string;
}

const schema = z.object({
  baseUrl: z.string(),
  operatorKey: z.string(),
  projectId: z.string(),
  secretKey: z.string(),
  publicKey: z.string(),
});

export const keysFile = (dataDir: string): string => join(dataDir, 'keys.json');

/**
 * Reads the file; undefined if it does not exist. Throws a `KeysFileError` if it is unreadable or
 * damaged.
 */
export const readKeys = (dataDir: string): Promise<Keys | undefined> => readKeysOf(keysFile(dataDir));

async function readKeysOf(file: string): Promise<Keys | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new KeysFileError(`cannot read ${file}: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    // The operator key in the file seals secrets: a new key could not open them.
    throw new KeysFileError(`${file} is damaged: restore it, because its operator key opens the sealed secrets`);
  }
}

/** `keys.json`, or its operator key, prevents the start. */
export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';
}

/** The operator key: from the settings, else from the file, else a new one. */
export const chooseOperatorKey = (fromSettings: string, known: Keys | undefined): string =>
  fromSettings || known?.operatorKey || mintKey('operator').token;

export interface KeysWanted {
  dataDir: string;
  projectId: string;
  baseUrl: string;
  /**
   * Whether `baseUrl` replaces another one in the file. `unlessLive`: not while a service answers
   * there that accepts the same keys. `never`: this process has no API.
   */
  replaces: 'always' | 'unlessLive' | 'never';
}

/**
 * Makes sure that the file holds keys that work on this database, and creates missing ones. Only
 * the owner can read the file. Processes that share it keep the address of one whose API answers.
 */
export async function ensureKeys(
  engine: EngineContext,
  { dataDir, projectId, baseUrl: ownUrl, replaces }: KeysWanted,
): Promise<Keys> {
  const known = await readKeys(dataDir);
  const { operatorKey } = engine.settings;
  const keep = async (token: string | undefined, kind: 'secret' | 'public'): Promise<string> =>
    token !== undefined && (await opens(engine, token, projectId))
      ? token
      : (await createApiKey(engine, { projectId, name: `default ${kind}`, kind })).token;
  const secretKey = await keep(known?.secretKey, 'secret');
  const publicKey = await keep(known?.publicKey, 'public');
  const isKept = known !== undefined && publicKey === known.publicKey;
  const keepsUrl =
    replaces === 'never' || (replaces === 'unlessLive' && isKept && (await takesKey(known.baseUrl, publicKey)));
  const baseUrl = keepsUrl ? (known?.baseUrl ?? ownUrl) : ownUrl;
  const keys: Keys = { baseUrl, operatorKey, projectId, secretKey, publicKey };
  if (known !== undefined && known.operatorKey !== operatorKey) await writeKeys(formerKeysFile(dataDir, known), known);
  if (JSON.stringify(keys) !== JSON.stringify(known)) await writeKeys(keysFile(dataDir), keys);
  return keys;
}

async function opens(engine: EngineContext, token: string, projectId: string): Promise<boolean> {
  try {
    return (await authenticate(engine, { authorization: `Bearer ${token}` })).projectId === projectId;
  } catch (error) {
    if (error instanceof HoldfastError) return false;
    throw error;
  }
}

/** Whether a service with an API answers there, on the same database: no other accepts the key. */
async function takesKey(baseUrl: string, key: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${baseUrl}/runs?limit=1`, { headers, signal: AbortSignal.timeout(takesKeyMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

const takesKeyMs = 1_000;

/** A file for each operator key, so that none is ever overwritten. */
const formerKeysFile = (dataDir: string, { operatorKey }: Keys): string =>
  join(dataDir, `keys.former-${createHash('sha256').update(operatorKey).digest('hex').slice(0, 16)}.json`);

/** The operator keys that `keys.json` held before; none without the directory. */
export async function readFormerOperatorKeys(dataDir: string): Promise<string[]> {
  const files = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = files.filter((name) => /^keys\.former-[0-9a-f]{16}\.json$/.test(name));
  const former = await Promise.all(names.map((name) => readKeysOf(join(dataDir, name))));
  return former.flatMap((keys) => (keys ? [keys.operatorKey] : []));
}

async function writeKeys(file: string, keys: Keys): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
