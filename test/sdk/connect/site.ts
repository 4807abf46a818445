import { it as base, expect } from 'vitest';
import {
  type Connection,
  type ConnectionChange,
  type ConnectOptions,
  eventType,
  Holdfast,
} from '../../../sdk/src/index.ts';
import { type Peer, ServiceDouble } from '../support/serviceDouble.ts';
import { Sign } from '../support/sign.ts';

/**
 * A client with two workflows, `greet` and `hold`, and a double of the service to which it
 * connects.
 */
export class Site {
  /** The changes of all its connections, and its log. */
  readonly changes: ConnectionChange[] = [];
  readonly logged: string[] = [];
  readonly hf: Holdfast;
  service: ServiceDouble;
  readonly #connections: Connection[] = [];
  /** Bodies of `hold` return after this signal. */
  readonly #release = new Sign();

  constructor(service: ServiceDouble) {
    this.service = service;
    const log = (message: string) => this.logged.push(message);
    this.hf = new Holdfast({ baseUrl: service.url, apiKey: 'hf_sk_x', logger: { info: log, warn: log, error: log } });
    this.hf.workflow({ id: 'greet', triggers: [eventType('hi')], retry: { maxAttempts: 3 } }, async ({ step }) =>
      step.run('say', () => 'hello'),
    );
    this.hf.workflow({ id: 'hold' }, async ({ step }) => step.run('wait', () => this.held));
  }

  get held(): Promise<void> {
    return this.#release.given;
  }

  release(): void {
    this.#release.give();
  }

  connect(options: ConnectOptions = {}): Connection {
    return this.closeLater(this.hf.connect({ onChange: (change) => this.changes.push(change), ...options }));
  }

  /** Closes a connection after the test. */
  closeLater(connection: Connection): Connection {
    this.#connections.push(connection);
    return connection;
  }

  /** Waits until connections have reached a state this many times. */
  async change(state: ConnectionChange['state'], count = 1): Promise<void> {
    await expect
      .poll(() => this.changes.filter((each) => each.state === state).length, { timeout: 10_000, interval: 5 })
      .toBeGreaterThanOrEqual(count);
  }

  /** A connection, and its other end. */
  async connected(options: ConnectOptions = {}): Promise<{ connection: Connection; peer: Peer }> {
    const connection = this.connect(options);
    await connection.ready;
    return { connection, peer: await this.service.peer(0) };
  }

  /** A connection whose runner holds the pass `i1`, and has answered another after it. */
  async withOneInFlight(): Promise<{ connection: Connection; peer: Peer }> {
    const { connection, peer } = await this.connected();
    peer.invoke('i1', 'hold');
    peer.invoke('i2', 'greet');
    await peer.result('i2');
    return { connection, peer };
  }

  /**
   * A runner with one slot. Its drained connection holds `i1` in the slot; `i2`, from the next
   * connection, waits for it.
   */
  async withoutRoom(): Promise<{ connection: Connection; first: Peer; second: Peer }> {
    const { connection, peer: first } = await this.connected({ maxInFlight: 1 });
    first.invoke('i1', 'hold');
    first.send({ type: 'drain' });
    const second = await this.service.peer(1);
    await this.change('ready', 2);
    second.invoke('i2', 'greet');
    second.send({ type: 'ping' });
    await second.frame((frame) => frame.type === 'pong');
    return { connection, first, second };
  }

  async close(): Promise<void> {
    this.release();
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await this.service.stop();
  }
}

export const it = base.extend<{ site: Site }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the pattern that it needs no other fixture
  site: async ({}, use) => {
    const site = new Site(await ServiceDouble.start());
    await use(site);
    await site.close();
  },
});
