import pg from 'pg';
import type { EngineContext } from '../context.ts';
import { endWhenSilent, keepAliveMs } from '../db/index.ts';
import { newId } from '../ids.ts';
import { collect, encode, type Hints, noHints, relay } from './hints.ts';
import { countListeners } from './sql/countListeners.ts';
import { sendHints } from './sql/sendHints.ts';

const applicationName = 'holdfast listener';
const coalesceMs = 20;

/** How long closing a connection may take, in ms. */
const leaveMs = 1_000;

/** The times of the listening connection, in ms. */
const usualTimes = {
  /** The delay before it reconnects. */
  reconnectMs: 2_000,
  /** The interval of checks. Without them, a listener never notices a dead connection. */
  checkMs: 60_000,
  /** How long an answer or a new connection may take. */
  answerMs: 10_000,
};

/** How long a count of the listening processes stays valid during traffic. */
const countForMs = 2_000;

/**
 * Carries messages of the bus to other processes by `LISTEN`/`NOTIFY`, over a connection of its
 * own. A process sends nothing while it is alone; a process that joins announces itself. Behind a
 * pooler without `LISTEN`, everything works by polling.
 */
export class Notifier {
  readonly #engine: EngineContext;
  readonly #url: string;
  readonly #times: typeof usualTimes;
  readonly #self = newId();
  /** The connection that listens, or is connecting. */
  #client: pg.Client | undefined;
  #hints: Hints | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;
  #stopCollecting: (() => void) | undefined;
  #relaying = false;
  #stopped = false;
  #countedAt = Number.NEGATIVE_INFINITY;
  #alone = true;
  /** The number of messages from other processes. */
  #received = 0;

  constructor(engine: EngineContext, url: string, times: Partial<typeof usualTimes> = {}) {
    this.#engine = engine;
    this.#url = url;
    this.#times = { ...usualTimes, ...times };
  }

  async start(): Promise<void> {
    this.#stopCollecting = collect(this.#engine.bus, () => this.#current());
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopCollecting?.();
    clearTimeout(this.#timer);
    clearTimeout(this.#reconnect);
    clearTimeout(this.#check);
    if (this.#client) await leave(this.#client);
  }

  /** The hints to add to. Undefined while messages of another process are relayed. */
  #current(): Hints | undefined {
    if (this.#relaying || this.#stopped) return undefined;
    if (!this.#hints) {
      this.#hints = noHints();
      this.#timer = setTimeout(() => void this.#flush(), coalesceMs);
    }
    return this.#hints;
  }

  async #flush(): Promise<void> {
    const hints = this.#hints;
    this.#hints = undefined;
    if (!hints) return;
    try {
      if (await this.#isAlone()) return;
      await this.#send(hints);
    } catch (error) {
      this.#engine.log.debug({ error }, 'sending hints to other processes failed');
    }
  }

  async #send(hints: Hints): Promise<void> {
    await sendHints(this.#engine.db, { message: encode(this.#self, hints) });
  }

  async #isAlone(): Promise<boolean> {
    if (performance.now() - this.#countedAt > countForMs) {
      const received = this.#received;
      const [row] = await countListeners(this.#engine.db, { applicationName });
      this.#countedAt = performance.now();
      // A process that joined during the count may be missing from it.
      this.#alone = (row?.listeners ?? 0) <= 1 && received === this.#received;
    }
    return this.#alone;
  }

  async #listen(): Promise<void> {
    const { answerMs } = this.#times;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      connectionTimeoutMillis: answerMs,
    });
    client.on('notification', ({ payload }) => this.#relay(payload));
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    this.#client = client;
    try {
      await client.connect();
      endWhenSilent(client, answerMs);
      await client.query('listen holdfast');
      this.#checkSoon(client);
      if (!this.#stopped) await this.#send(noHints());
    } catch (error) {
      if (!this.#stopped) {
        this.#engine.log.warn({ error }, 'listening for hints of other processes failed: polling instead');
      }
      this.#lost(client);
    }
  }

  /** Without an answer, the connection ends, and counts as lost. */
  #checkSoon(client: pg.Client): void {
    if (this.#stopped || client !== this.#client) return;
    this.#check = setTimeout(() => {
      client.query('select').then(
        () => this.#checkSoon(client),
        () => this.#lost(client),
      );
    }, this.#times.checkMs);
  }

  #lost(client: pg.Client): void {
    // A connection that was lost before already has a successor.
    if (this.#stopped || client !== this.#client) return;
    this.#client = undefined;
    clearTimeout(this.#check);
    void leave(client);
    this.#reconnect = setTimeout(() => void this.#listen(), this.#times.reconnectMs);
  }

  #noteOthers(): void {
    this.#received += 1;
    this.#alone = false;
    this.#countedAt = performance.now();
  }

  #relay(payload: string | undefined): void {
    if (!payload) return;
    this.#relaying = true;
    try {
      if (relay(this.#engine.bus, this.#self, payload)) this.#noteOthers();
    } catch (error) {
      this.#engine.log.debug({ error }, 'reading a hint of another process failed');
    } finally {
      this.#relaying = false;
    }
  }
}

/** Closes a connection, by force if the other side does not answer. */
async function leave(client: pg.Client): Promise<void> {
  const force = setTimeout(() => client.connection.stream.destroy(), leaveMs);
  await client.end().catch(() => undefined);
  clearTimeout(force);
}
