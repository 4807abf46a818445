import pg from 'pg';
import type { EngineContext } from '../context.ts';
import { newId } from '../ids.ts';
import { collect, encode, type Hints, noHints, relay } from './hints.ts';
import { countListeners } from './sql/countListeners.ts';
import { sendHints } from './sql/sendHints.ts';

const applicationName = 'holdfast listener';
const coalesceMs = 20;
const reconnectMs = 2_000;

/** How long a count of the listening processes is believed while there is traffic. */
const countForMs = 2_000;

/**
 * Carries the bus to other processes by `LISTEN`/`NOTIFY`, over a connection of its own. A process that is alone says
 * nothing; one that joins makes itself known. Behind a pooler that knows no `LISTEN` all is correct, only slower.
 */
export class Notifier {
  readonly #engine: EngineContext;
  readonly #url: string;
  readonly #self = newId();
  #client: pg.Client | undefined;
  #hints: Hints | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #stopCollecting: (() => void) | undefined;
  #relaying = false;
  #stopped = false;
  #countedAt = Number.NEGATIVE_INFINITY;
  #alone = true;
  /** Messages of other processes so far. */
  #heard = 0;

  constructor(engine: EngineContext, url: string) {
    this.#engine = engine;
    this.#url = url;
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
    await this.#client?.end().catch(() => undefined);
  }

  /** Where to put a hint; undefined while relaying what another process said. */
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
      await this.#say(hints);
    } catch (error) {
      this.#engine.log.debug({ error }, 'hints for other processes were lost');
    }
  }

  async #say(hints: Hints): Promise<void> {
    await sendHints(this.#engine.db, { message: encode(this.#self, hints) });
  }

  async #isAlone(): Promise<boolean> {
    if (performance.now() - this.#countedAt > countForMs) {
      const heard = this.#heard;
      const [row] = await countListeners(this.#engine.db, { applicationName });
      this.#countedAt = performance.now();
      // One that joined while the others were counted may not be among them.
      this.#alone = (row?.listeners ?? 0) <= 1 && heard === this.#heard;
    }
    return this.#alone;
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, application_name: applicationName, keepAlive: true });
    client.on('notification', ({ payload }) => this.#relay(payload));
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query('listen holdfast');
      this.#client = client;
      if (this.#stopped) await client.end();
      else await this.#say(noHints());
    } catch (error) {
      this.#engine.log.warn({ error }, 'cannot listen for hints of other processes; polling instead');
      this.#lost(client);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#stopped || this.#reconnect) return;
    client.end().catch(() => undefined);
    this.#client = undefined;
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      void this.#listen();
    }, reconnectMs);
  }

  #heardOfOthers(): void {
    this.#heard += 1;
    this.#alone = false;
    this.#countedAt = performance.now();
  }

  #relay(payload: string | undefined): void {
    if (!payload) return;
    this.#relaying = true;
    try {
      if (relay(this.#engine.bus, this.#self, payload)) this.#heardOfOthers();
    } catch (error) {
      this.#engine.log.debug({ error }, 'a hint of another process could not be read');
    } finally {
      this.#relaying = false;
    }
  }
}
