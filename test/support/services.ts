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
  type StartingService,
  startServiceProcess,
} from './serviceProcess.ts';

/** Processes of the service on one data directory. */
class Services {
  dataDir = '';
  readonly #build: string | undefined;
  readonly #running: Pick<ServiceProcess, 'end'>[] = [];

  constructor(build: string | undefined) {
    this.#build = build;
  }

  async start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await startServiceProcess({ dataDir: this.dataDir, env, build: this.#build });
    this.#running.push(service);
    return service;
  }

  async run(options: Partial<ServiceProcessOptions>): Promise<StartingService> {
    const service = await runServiceProcess({ dataDir: this.dataDir, build: this.#build, ...options });
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

/**
 * A new data directory for each test, or one that the tests of a `describe` share. `build` as for a
 * process.
 */
export function useServices({ isShared = false, build }: { isShared?: boolean; build?: string } = {}): Services {
  const services = new Services(build);
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
