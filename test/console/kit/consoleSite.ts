import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Holdfast } from '../../../sdk/src/index.ts';
import { projectRoot } from '../../support/build.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/serviceProcess.ts';

/** A key of each kind, and two that open nothing. */
export interface SiteKeys {
  secret: string;
  public: string;
  platform: string;
  operator: string;
  revoked: string;
  unknown: string;
}

/** A service in a process of its own with the built console, a project and keys. */
export class ConsoleSite {
  service: ServiceProcess;
  readonly keys: SiteKeys;
  readonly projectId: string;
  readonly databaseUrl: string;
  readonly #connections: Connection[] = [];
  readonly #start: (env?: Record<string, string>) => Promise<ServiceProcess>;
  readonly #clean: () => Promise<void>;

  private constructor(
    service: ServiceProcess,
    {
      keys,
      databaseUrl,
      start,
      clean,
    }: {
      keys: SiteKeys;
      databaseUrl: string;
      start: (env?: Record<string, string>) => Promise<ServiceProcess>;
      clean: () => Promise<void>;
    },
  ) {
    this.#start = start;
    this.service = service;
    this.keys = keys;
    this.projectId = service.keys.projectId;
    this.databaseUrl = databaseUrl;
    this.#clean = clean;
  }

  static async open(env: Record<string, string> = {}): Promise<ConsoleSite> {
    const database = await createEmptyDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast console '));
    let service: ServiceProcess | undefined;
    const clean = async (): Promise<void> => {
      await service?.end();
      await rm(dataDir, { recursive: true, force: true });
      await database.drop();
    };
    try {
      const settings = { DATABASE_URL: database.url, ALLOW_UNSAFE_DATABASE: 'true', LOG_LEVEL: 'trace', ...env };
      const start = (more: Record<string, string> = {}): Promise<ServiceProcess> =>
        startServiceProcess({ dataDir, env: { ALLOW_PRIVATE_TARGETS: 'true', ...settings, ...more } });
      service = await start();
      const keys = await issueKeys(service);
      return new ConsoleSite(service, { keys, databaseUrl: database.url, start, clean });
    } catch (error) {
      await clean();
      throw error;
    }
  }

  /** The address of a page of the console; without one, of its start. */
  address(path = '/'): string {
    return `${this.service.baseUrl}/console${path}`;
  }

  /** A client of an app, whose workflows run in this process once they are connected. */
  client(app: string): Holdfast {
    return new Holdfast({ baseUrl: this.service.baseUrl, apiKey: this.keys.secret, app });
  }

  async connect(hf: Holdfast, runner: string): Promise<void> {
    const connection = hf.connect({ runner });
    this.#connections.push(connection);
    await connection.ready;
  }

  /** Runs a document as the operator of a project. Throws its first error. */
  operate<T>(document: string, variables: object = {}): Promise<T> {
    return operate(this.service, document, variables);
  }

  /** Ends the service, and starts it again at the same address once `meanwhile` is done. */
  async restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const { port } = new URL(this.service.baseUrl);
    await this.service.end();
    try {
      await meanwhile();
    } finally {
      this.service = await this.#start({ PORT: port });
    }
  }

  async close(): Promise<void> {
    // A connection finishes its passes first, unless the service has gone.
    const closed = Promise.all(this.#connections.map((connection) => connection.close()));
    await this.service.end();
    await closed;
    await this.#clean();
  }
}

async function operate<T>({ baseUrl, keys }: ServiceProcess, query: string, variables: object): Promise<T> {
  const headers = { authorization: `Bearer ${keys.operatorKey}`, 'x-service-project': keys.projectId };
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: { message: string }[] };
  if (errors?.[0]) throw new Error(errors[0].message);
  return data;
}

async function issueKeys(service: ServiceProcess): Promise<SiteKeys> {
  const { secretKey, publicKey, operatorKey, projectId } = service.keys;
  const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token apiKey { id } } }';
  type Created = { createApiKey: { token: string; apiKey: { id: string } } };
  const issue = async (name: string, kind: string, owner?: string): Promise<Created['createApiKey']> =>
    (await operate<Created>(service, create, { input: { name, kind, projectId: owner } })).createApiKey;
  const platform = await issue('portal', 'PLATFORM');
  const revoked = await issue('gone', 'SECRET', projectId);
  const revoke = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }';
  await operate(service, revoke, { id: revoked.apiKey.id });
  return {
    secret: secretKey,
    public: publicKey,
    platform: platform.token,
    operator: operatorKey,
    revoked: revoked.token,
    unknown: `${secretKey.slice(0, 20)}AAAA${secretKey.slice(24)}`,
  };
}

/** Builds the console unless its build is current. */
export function buildConsole(): void {
  const script = join(projectRoot, 'scripts/buildConsole.mjs');
  const { status, stderr, stdout } = spawnSync(process.execPath, [script], { cwd: projectRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the console was not built:\n${stdout}${stderr}`);
}
