import type { Draw } from '../kit/turns.ts';
import type { KillClient } from './client.ts';
import { pause } from './client.ts';
import { type GateData, type GateName, gateNames } from './gates.ts';

/** The number of concurrent clients. */
const drivers = 2;
/** The maximum number of events in a burst: more than a batch holds. */
const maxBurst = 7;
/**
 * Smaller for workflows whose runs wait for the spend of others: a round lasts until all have
 * ended.
 */
const maxBurstOf: Partial<Record<GateName, number>> = { thrifty: 3, fed: 1 };
/** The maximum number of open runs of workflows with policies. Beyond it no event is sent. */
const maxOpen = 40;
/** How often a dedupe value is used. */
const repeats = 4;

/** Sends bursts of events to workflows with policies, each event until it is acknowledged. */
export class GateLoad {
  /** The acknowledged events, by workflow. */
  readonly sent = new Map<GateName, GateData[]>(gateNames.map((name) => [name, []]));
  readonly #client: KillClient;
  readonly #draw: Draw;
  #next = 0;
  #bursts = 0;

  constructor(client: KillClient, draw: Draw) {
    this.#client = client;
    this.#draw = draw;
  }

  async drive({ isOver, countOpen }: { isOver: () => boolean; countOpen: () => Promise<number> }): Promise<void> {
    const drive = async (driver: number): Promise<void> => {
      while (!isOver()) {
        if ((await countOpen()) < maxOpen) await this.#burst(driver);
        await pause(this.#draw(100));
      }
    };
    await Promise.all(Array.from({ length: drivers }, (_, driver) => drive(driver)));
  }

  async #burst(driver: number): Promise<void> {
    const name = gateNames[this.#bursts % gateNames.length];
    if (!name) return;
    this.#bursts += 1;
    const all = Array.from({ length: 1 + this.#draw(maxBurstOf[name] ?? maxBurst) }, () => this.#make(name, driver));
    // The last debounced event must be known, so each key has one sender, who waits for the
    // answers.
    if (name === 'quiet') for (const data of all) await this.#send(name, data);
    else await Promise.all(all.map((data) => this.#send(name, data)));
  }

  #make(name: GateName, driver: number): GateData {
    const n = this.#next;
    this.#next += 1;
    if (name === 'quiet') return { n, key: `${driver} ${this.#draw(2)}` };
    const values = this.sent.get('once')?.length ?? 0;
    if (name === 'once') return { n, key: String(Math.floor(values / repeats) + this.#draw(2)) };
    return { n, key: String(this.#draw(name === 'fed' ? 4 : 2)) };
  }

  async #send(name: GateName, data: GateData): Promise<void> {
    await this.#client.insist((hf) => hf.events.send({ name, data, dedupeId: `${name} ${data.n}` }));
    this.sent.get(name)?.push(data);
  }
}
