import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { createApiKey } from '../../../../src/engine/keys/index.ts';
import type { EngineSettings } from '../../../../src/engine/settings.ts';
import { Dispatcher } from '../../../../src/workers/dispatcher/dispatcher.ts';
import type { DispatcherOptions } from '../../../../src/workers/dispatcher/options.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../../support/engine.ts';

import { ScriptedLanes, ScriptedRegistry } from './scriptedRegistry.ts';
import { ScriptedWork } from './scriptedWork.ts';
import { SocketRunner } from './socketRunner.ts';

export interface ScriptedSiteOptions {
  settings?: Partial<EngineSettings>;
  options?: Partial<DispatcherOptions>;
}

/**
 * A dispatcher with scripted seams behind a real port. Queue and registry are scripted, keys and
 * their revocation are real.
 */
export class ScriptedSite {
  readonly work = new ScriptedWork();
  readonly registry = new ScriptedRegistry();
  readonly lanes = new ScriptedLanes();
  readonly engine: EngineContext;
  readonly dispatcher: Dispatcher;
  readonly projectId: string;
  readonly secret: { token: string; id: string };
  readonly #server: Server;
  readonly #test: OwnedEngine;
  readonly #runners: SocketRunner[] = [];

  private constructor(
    test: OwnedEngine,
    projectId: string,
    secret: { token: string; id: string },
    options: ScriptedSiteOptions,
  ) {
    this.#test = test;
    this.engine = test.engine;
    this.projectId = projectId;
    this.secret = secret;
    const { lanes, registry, work } = this;
    this.dispatcher = new Dispatcher({
      engine: test.engine,
      seams: { work, registry, lanes },
      options: {
        pollMs: 20,
        tickMs: 20,
        drainMs: 300,
        probeMs: test.engine.settings.runnerHeartbeatMs,
        ...options.options,
      },
    });
    this.#server = createServer((_, response) => response.writeHead(404).end());
    this.#server.on('upgrade', (request, socket, head) => this.dispatcher.handleUpgrade(request, socket, head));
  }

  static async open(options: ScriptedSiteOptions = {}): Promise<ScriptedSite> {
    const test = await createTestEngine({ settings: { runnerHeartbeatMs: 1_000, ...options.settings } });
    const projectId = await createTestProject(test.engine);
    const key = await createApiKey(test.engine, { projectId, name: 'runners', kind: 'secret' });
    const site = new ScriptedSite(test, projectId, { token: key.token, id: key.apiKey.id }, options);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    await site.dispatcher.start();
    return site;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `ws://127.0.0.1:${port}/connect`;
  }

  /** Connects a socket with this project's secret key, or with another key. */
  connect(token = this.secret.token, headers: Record<string, string> = {}): SocketRunner {
    const runner = new SocketRunner(this.url, token, headers);
    this.#runners.push(runner);
    return runner;
  }

  /** Puts runs of `order` into the queue and gives the hint. */
  enqueue(count = 1, lane: { app?: string; workflow?: string; runner?: string } = {}): string[] {
    const laneId = this.lanes.id(this.projectId, lane);
    const runIds = this.work.enqueue(laneId, count);
    this.engine.bus.emit('work.ready', { laneIds: [laneId] });
    return runIds;
  }

  async close(): Promise<void> {
    for (const runner of this.#runners) runner.vanish();
    await this.dispatcher.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#test.close();
  }
}
