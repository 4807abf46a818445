import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dataDirOf, keyFor, keysFile, readKeys } from './serviceKey.ts';

/** A running service, and a way to stop using it. */
export interface Service {
  baseUrl: string;
  apiKey: string;
  /** Whether the demo started the service, and must stop it. */
  isOurs: boolean;
  stop(): Promise<void>;
}

const startTimeoutMs = 120_000;
const stopTimeoutMs = 15_000;

const usualUrl = 'http://127.0.0.1:4400';

/**
 * The service of `HOLDFAST_URL`. Without that: the one that `keys.json` names, else the one at the
 * usual address, else a new one. A new one keeps its data where `npm start` does.
 */
export async function findOrStartService(): Promise<Service> {
  const { env } = process;
  if (env.HOLDFAST_URL !== undefined) return given(env.HOLDFAST_URL);
  const keys = await readKeys(keysFile(env)).catch(() => undefined);
  for (const baseUrl of new Set([keys?.baseUrl ?? usualUrl, usualUrl])) {
    // Another program may answer there, or a service with other data.
    const service = await given(baseUrl).catch(() => undefined);
    if (service !== undefined) return service;
  }
  const port = Number(env.PORT ?? 4400);
  return startService(dataDirOf(env), { PORT: (await isFree(port)) ? String(port) : '0' });
}

/** The service at an address. Throws if none answers there, or if it takes no key of ours. */
async function given(url: string): Promise<Service> {
  const baseUrl = url.replace(/\/+$/, '');
  if (!(await answers(`${baseUrl}/health/live`))) throw new Error(`no service answers at HOLDFAST_URL (${baseUrl})`);
  return { baseUrl, apiKey: await keyFor(baseUrl, process.env), isOurs: false, stop: async () => {} };
}

/** Starts a service whose data ends with it. `settings` are added to the environment. */
export async function startPassingService(settings: Record<string, string>): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const service = await startService(dataDir, { ...settings, PORT: '0' });
    return { ...service, stop: () => service.stop().then(remove) };
  } catch (cause) {
    await remove();
    throw cause;
  }
}

async function startService(dataDir: string, settings: Record<string, string>): Promise<Service> {
  const { DATABASE_URL: _database, NODE_ENV: _mode, ROLES: _roles, PUBLIC_URL: _url, ...env } = process.env;
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../src/main.js', import.meta.url))], {
    env: { ...env, HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: env.LOG_LEVEL ?? 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The service ends with this process, however that ends.
  const kill = (): unknown => child.kill('SIGTERM');
  process.once('exit', kill);
  const output = tailOf(child);
  const stop = async (): Promise<void> => {
    await stopChild(child);
    process.off('exit', kill);
  };
  try {
    await untilReady(child, output);
    const { baseUrl, secretKey } = await readKeys(join(dataDir, 'keys.json'));
    return { baseUrl, apiKey: secretKey, isOurs: true, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** Waits for the text with which the service announces itself. A port may be another program's. */
async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  for (const end = Date.now() + startTimeoutMs; Date.now() < end; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}:\n${output()}`);
    if (output().includes('Holdfast is ready')) return;
  }
  throw new Error(`the service was not ready after ${startTimeoutMs / 1000} s:\n${output()}`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}

/** Returns the end of a child's output, for its error message. */
function tailOf(child: ChildProcess): () => string {
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-4_000);
    });
  }
  return () => tail;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Whether no program listens on a port. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const hasListened = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return hasListened;
}
