import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Profiling, profilingFlags } from './profiling.ts';
import { until } from './waiting.ts';

export interface ServiceOptions {
  /** Holds the keys and the log. Processes that share a database share it. */
  directory: string;
  databaseUrl: string;
  /** Comma list; default: all. */
  roles?: string | undefined;
  /** Settings that differ from the defaults. */
  env?: Record<string, string> | undefined;
  /** Default: a free port. */
  port?: number;
  profiling: Profiling;
}

/** A process of the service, as `npm start` runs it, on a port of its own. */
export class Service {
  readonly pid: number;
  readonly port: number;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, apiKey: string) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.port = port;
    this.baseUrl = urlOf(port);
    this.apiKey = apiKey;
  }

  static async start({ directory, databaseUrl, roles, profiling, ...options }: ServiceOptions): Promise<Service> {
    const port = options.port ?? (await freePort());
    const log = join(directory, 'service.log');
    const output = openSync(log, 'a');
    const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
    const child = spawn(process.execPath, [...profilingFlags(profiling, 'service'), main], {
      stdio: ['ignore', output, output],
      env: {
        ...ownEnvironment(),
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        DATA_DIR: directory,
        LOG_LEVEL: 'warn',
        // Receivers of webhooks are on this machine.
        ALLOW_PRIVATE_TARGETS: 'true',
        ...(roles !== undefined && { ROLES: roles }),
        ...options.env,
      },
    });
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.off('exit', killIt));
    await becomeReady(child, urlOf(port), log);
    const keys: { secretKey: string } = JSON.parse(await readFile(join(directory, 'keys.json'), 'utf8'));
    return new Service(child, port, keys.secretKey);
  }

  /** SIGKILL: the process finishes and hands back no work. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    const tooLong = setTimeout(() => this.#child.kill('SIGKILL'), 15_000);
    this.#child.kill('SIGTERM');
    await gone;
    clearTimeout(tooLong);
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

/** The environment without the settings of the shell that started the bench. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR };
}

async function becomeReady(child: ChildProcess, baseUrl: string, log: string): Promise<void> {
  const answers = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the service did not start:\n${await readFile(log, 'utf8')}`);
    return fetch(`${baseUrl}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(answers, { limitMs: 60_000, everyMs: 50, what: 'the service ready' });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
