import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { type Connection, Holdfast, type Run, type RunSummary } from '../../sdk/src/index.ts';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { openDatabase } from '../../src/engine/db/pool/open.ts';
import { runDoctor } from '../../src/engine/doctor/index.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { type ServiceProcess, startServiceProcess } from '../support/serviceProcess.ts';

/** An answer of the service, unparsed. */
export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: JSON from outside, which each test looks into as far as it asserts.
  body: any;
}

/** How long a certain event may take on a busy machine. */
export const waitLimits = { timeout: 25_000, interval: 25 };

/** Processes of the service on one database, with runners of one app, and the calls of a user. */
export class FlowSite {
  readonly services: readonly ServiceProcess[];
  readonly hf: Holdfast;
  readonly connections: Connection[] = [];
  readonly databaseUrl: string;
  readonly #clean: () => Promise<void>;

  private constructor(services: readonly ServiceProcess[], databaseUrl: string, clean: () => Promise<void>) {
    this.services = services;
    this.databaseUrl = databaseUrl;
    this.hf = this.client();
    this.#clean = clean;
  }

  static async open({ processes = 1, env = {} }: { processes?: number; env?: Record<string, string> } = {}) {
    const database = await createEmptyDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast flow '));
    const services: ServiceProcess[] = [];
    const settings = { DATABASE_URL: database.url, ALLOW_UNSAFE_DATABASE: 'true', LOG_LEVEL: 'warn', ...env };
    const clean = async () => {
      await Promise.all(services.map((service) => service.end('SIGTERM')));
      await rm(dataDir, { recursive: true, force: true });
      await database.drop();
    };
    try {
      // In sequence, because the first creates the schema and the keys.
      for (let n = 0; n < processes; n += 1) services.push(await startServiceProcess({ dataDir, env: settings }));
      return new FlowSite(services, database.url, clean);
    } catch (error) {
      await clean();
      throw error;
    }
  }

  service(n = 0): ServiceProcess {
    const service = this.services[n % this.services.length];
    if (!service) throw new Error('no process');
    return service;
  }

  /** A client of the app `flow` at one of the processes. */
  client(n = 0, apiKey = this.service(n).keys.secretKey): Holdfast {
    return new Holdfast({ baseUrl: this.service(n).baseUrl, apiKey, app: 'flow' });
  }

  /**
   * Connects a runner of all workflows of a client. A repeated name replaces the earlier runner.
   */
  async connect(hf: Holdfast, runner: string): Promise<void> {
    const connection = hf.connect({ runner });
    this.connections.push(connection);
    await connection.ready;
  }

  async call(method: string, path: string, body?: unknown, apiKey = this.service().keys.secretKey): Promise<Reply> {
    const response = await fetch(`${this.service().baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  async get(path: string): Promise<Reply['body']> {
    const { status, body } = await this.call('GET', path);
    expect(status).toBe(200);
    return body;
  }

  /** Sends an event over REST. */
  async send(name: string, data: unknown = {}, more: object = {}): Promise<Reply['body']> {
    const { status, body } = await this.call('POST', '/events', { name, data, ...more });
    expect(status).toBe(202);
    return body;
  }

  async trigger(name: string, input: unknown = {}): Promise<Reply['body']> {
    const { status, body } = await this.call('POST', `/workflows/flow/${encodeURIComponent(name)}/trigger`, { input });
    expect(status).toBe(202);
    return body;
  }

  async graphql(query: string, variables: object = {}, apiKey?: string): Promise<Reply['body']> {
    const { body } = await this.call('POST', '/graphql', { query, variables }, apiKey);
    expect(body.errors).toBeUndefined();
    return body.data;
  }

  /** Executes an operator's mutation. */
  operate(query: string, variables: object): Promise<Reply['body']> {
    return this.graphql(query, variables, this.service().keys.operatorKey);
  }

  async setCeiling(concurrencyCeiling: number): Promise<void> {
    const input = { id: this.service().keys.projectId, concurrencyCeiling };
    await this.operate('mutation($input: UpdateProjectInput!) { updateProject(input: $input) { project { id } } }', {
      input,
    });
  }

  /** The gauge of the runs that wait for a slot or for the ceiling. */
  async gated(gate: 'slot' | 'ceiling'): Promise<number> {
    const { baseUrl, keys } = this.service();
    const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${keys.secretKey}` } });
    const [, count = '0'] =
      new RegExp(`holdfast_gated_runs\\{gate="${gate}"\\} (\\d+)`).exec(await answer.text()) ?? [];
    return Number(count);
  }

  async runsOf(workflow: string): Promise<RunSummary[]> {
    const runs: RunSummary[] = [];
    for await (const run of this.hf.runs.list({ workflow })) runs.unshift(run);
    return runs;
  }

  ended(runId: string | undefined): Promise<Run> {
    return this.hf.runs.wait(runId ?? '', { timeoutMs: waitLimits.timeout });
  }

  /** Waits until the fields of a run have these values. */
  until(runId: string | undefined, expected: object): Promise<void> {
    return vi.waitFor(async () => expect(await this.hf.runs.get(runId ?? '')).toMatchObject(expected), waitLimits);
  }

  /** Waits until a workflow has this many runs, all succeeded. */
  allDone(workflow: string, count: number): Promise<RunSummary[]> {
    return vi.waitFor(async () => {
      const runs = await this.runsOf(workflow);
      expect(runs.map((run) => run.status)).toEqual(Array.from({ length: count }, () => 'succeeded'));
      return runs;
    }, waitLimits);
  }

  /** The doctor's findings about everything that is stored. */
  async violations(): Promise<unknown[]> {
    const db = await openDatabase({ url: this.databaseUrl });
    try {
      const { operatorKey } = this.service().keys;
      const engine = createEngine({ db, log: pino({ level: 'silent' }), settings: { operatorKey } });
      return (await runDoctor(engine)).checks.flatMap((each) => each.violations);
    } finally {
      await db.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
    await this.#clean();
  }
}

/** Makes bodies wait until the test releases them, and counts them by scope. */
export class Hold {
  readonly highest = new Map<string, number>();
  readonly #inside = new Map<string, (() => void)[]>();
  #isOpen = false;

  inside(scope: string): number {
    return this.#inside.get(scope)?.length ?? 0;
  }

  async enter(scope: string): Promise<void> {
    const inside = this.#inside.get(scope) ?? [];
    this.#inside.set(scope, inside);
    this.highest.set(scope, Math.max(this.highest.get(scope) ?? 0, inside.length + 1));
    await new Promise<void>((resolve) => {
      const leave = () => {
        inside.splice(inside.indexOf(leave), 1);
        resolve();
      };
      inside.push(leave);
      if (this.#isOpen) setTimeout(leave, 5);
    });
  }

  /** Releases all bodies; later ones wait only for a moment. */
  open(): void {
    this.#isOpen = true;
    for (const inside of this.#inside.values()) for (const leave of [...inside]) leave();
  }

  /** Releases one body. */
  releaseOne(scope: string): void {
    this.#inside.get(scope)?.[0]?.();
  }

  close(): void {
    this.#isOpen = false;
  }
}
