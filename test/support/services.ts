import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import {
  runServiceProcess,
  type ServiceProcess,
  type ServiceProcessOptions,
  startServiceProcess,
} from './serviceProcess.ts';

/** Processes of the service on one data directory. */
class Services {
  dataDir = '';
  readonly #running: Pick<ServiceProcess, 'end'>[] = [];

  async start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await startServiceProcess({ dataDir: this.dataDir, env });
    this.#running.push(service);
    return service;
  }

  run(options: Partial<ServiceProcessOptions>): ReturnType<typeof runServiceProcess> {
    const service = runServiceProcess({ dataDir: this.dataDir, ...options });
    this.#running.push(service);
    return service;
  }

  async end(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((service) => service.end()));
  }

  async postgresPort(): Promise<number> {
    return JSON.parse(await readFile(join(this.dataDir, 'pg', 'holdfast.json'), 'utf8')).port;
  }
}

/** A new data directory for each test, or one that the tests of a `describe` share. */
export function useServices({ isShared = false } = {}): Services {
  const services = new Services();
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    services.dataDir = await mkdtemp(join(tmpdir(), 'holdfast e2e '));
  });
  after(async () => {
    await services.end();
    await rm(services.dataDir, { recursive: true, force: true });
  });
  return services;
}

export const get = (service: ServiceProcess, path: string, key = service.keys.publicKey): Promise<Response> =>
  fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });

/** Whether a process listens on a local port. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const [event] = await Promise.race([
    once(socket, 'connect').then(() => ['connect']),
    once(socket, 'error').then(() => ['error']),
  ]).catch(() => ['error']);
  socket.destroy();
  return event === 'connect';
}
