import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { triggerWorkflow } from '../../../../src/engine/admission/index.ts';
import { createEngine } from '../../../../src/engine/assembly/createEngine.ts';
import { type Clock, systemClock } from '../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { openDatabase } from '../../../../src/engine/db/pool/open.ts';
import { createApiKey } from '../../../../src/engine/keys/index.ts';
import type { EngineSettings } from '../../../../src/engine/settings.ts';
import { Dispatcher, type DispatcherOptions } from '../../../../src/workers/dispatcher/index.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../../support/engine.ts';

import { SocketRunner } from './socketRunner.ts';

/** A dispatcher over a real engine, behind a port of its own. */
export interface Post {
  engine: EngineContext;
  dispatcher: Dispatcher;
  url: string;
  close(): Promise<void>;
}

export interface SiteOptions {
  clock?: Clock;
  settings?: Partial<EngineSettings>;
  /** The log of the dispatchers. Default: none. */
  log?: Logger;
}

/** A database with any number of dispatchers, each as if in a process of its own. */
export class Site {
  readonly projectId: string;
  readonly token: string;
  readonly #test: OwnedEngine;
  readonly #options: SiteOptions;
  readonly #posts: Post[] = [];
  readonly #runners: SocketRunner[] = [];

  private constructor(test: OwnedEngine, projectId: string, token: string, options: SiteOptions) {
    this.#test = test;
    this.projectId = projectId;
    this.token = token;
    this.#options = options;
  }

  static async open(options: SiteOptions = {}): Promise<Site> {
    const test = await createTestEngine(options);
    const projectId = await createTestProject(test.engine);
    const { token } = await createApiKey(test.engine, { projectId, name: 'runners', kind: 'secret' });
    return new Site(test, projectId, token, options);
  }

  /** An engine that belongs to no dispatcher. */
  get engine(): EngineContext {
    return this.#test.engine;
  }

  get databaseUrl(): string {
    return this.#test.url;
  }

  /** Starts one more dispatcher, with an engine and a pool of its own. */
  async startDispatcher(
    options: Partial<DispatcherOptions> = {},
    settings: Partial<EngineSettings> = this.#options.settings ?? {},
  ): Promise<Post> {
    const { clock = systemClock, log = pino({ level: process.env['TEST_LOG'] ?? 'silent' }) } = this.#options;
    const db = await openDatabase({ url: this.#test.url, applicationName: 'holdfast test dispatcher', max: 5 });
    const given = { operatorKey: 'test operator key', allowPrivateTargets: true, ...settings };
    const engine = createEngine({ db, log, clock, settings: given });
    const { runnerHeartbeatMs: probeMs } = engine.settings;
    const usual = { pollMs: 30, tickMs: 30, drainMs: 200, probeMs };
    const dispatcher = new Dispatcher({ engine, options: { ...usual, ...options } });
    const server: Server = createServer();
    server.on('upgrade', (request, socket, head) => dispatcher.handleUpgrade(request, socket, head));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await dispatcher.start();
    const { port } = server.address() as AddressInfo;
    const close = async (): Promise<void> => {
      await dispatcher.stop();
      server.closeAllConnections();
      server.close();
      await db.close();
    };
    const post = { engine, dispatcher, url: `ws://127.0.0.1:${port}/connect`, close };
    this.#posts.push(post);
    return post;
  }

  connect({ url }: Pick<Post, 'url'>): SocketRunner {
    const runner = new SocketRunner(url, this.token);
    this.#runners.push(runner);
    return runner;
  }

  /** Starts a run of `shop/order`, by the engine given: only its own process gets the hint. */
  async trigger(engine: EngineContext = this.engine, input: { runner?: string } = {}): Promise<string> {
    const { projectId } = this;
    const { runId } = await triggerWorkflow(engine, { projectId, app: 'shop', name: 'order', input });
    if (runId === undefined) throw new Error('no run was started');
    return runId;
  }

  run(id: string) {
    return this.#test.db.prisma.run.findUniqueOrThrow({ where: { id } });
  }

  async close(): Promise<void> {
    for (const runner of this.#runners) runner.vanish();
    await Promise.all(this.#posts.map((post) => post.close()));
    await this.#test.close();
  }
}
