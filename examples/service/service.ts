import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keyFor, readKeys } from './serviceKey.ts';

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

/** The service at the usual address, or else a new one with a temporary data directory. */
export async function findOrStartService(): Promise<Service> {
  const baseUrl = (process.env.HOLDFAST_URL ?? 'http://127.0.0.1:4400').replace(/\/+$/, '');
  if (await answers(`${baseUrl}/health/live`)) {
    return { baseUrl, apiKey: await keyFor(baseUrl, process.env), isOurs: false, stop: async () => {} };
  }
  if (process.env.HOLDFAST_URL !== undefined) throw new Error(`no service answers at HOLDFAST_URL (${baseUrl})`);
  return startService();
}

/** Starts a service with a temporary data directory. `settings` are added to the environment. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  const port = await freePort();
  const { DATABASE_URL: _database, NODE_ENV: _mode, ROLES: _roles, PUBLIC_URL: _url, ...env } = process.env;
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../src/main.js', import.meta.url))], {
    env: {
      ...env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      LOG_LEVEL: env.LOG_LEVEL ?? 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The service ends with this process, however that ends.
  const kill = (): unknown => child.kill('SIGTERM');
  process.once('exit', kill);
  const output = tailOf(child);
  const stop = async (): Promise<void> => {
    await stopChild(child);
    process.off('exit', kill);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await untilReady(child, `http://127.0.0.1:${port}/health/ready`, output);
    const { baseUrl, secretKey } = await readKeys(join(dataDir, 'keys.json'));
    return { baseUrl, apiKey: secretKey, isOurs: true, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  for (const end = Date.now() + startTimeoutMs; Date.now() < end; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}:\n${output()}`);
    if (await answers(url)) return;
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}
