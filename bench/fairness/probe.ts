import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../httpClient.ts';
import { type Measures, percentile, round } from '../stats.ts';

/** Requests of the probe that may be unanswered at once. Each has a connection. */
const maxOpen = 120;

/** How long the last answers are awaited, in ms. */
const patienceMs = 120_000;

/**
 * A well-behaved tenant: sends `GET /runs?limit=1` at fixed instants, whether or not earlier ones
 * have been answered. So a stop of the service delays each of them.
 */
export class Probe {
  readonly #client: HttpClient;
  readonly #everyMs: number;
  #took: number[] = [];
  #failed = 0;
  #left = 0;
  #open = 0;

  constructor(target: { baseUrl: string; apiKey: string }, everyMs: number) {
    this.#client = new HttpClient(target.baseUrl, target.apiKey);
    this.#everyMs = everyMs;
  }

  /** Measures until `until` has resolved, and all answers have arrived. */
  async during(until: Promise<unknown>): Promise<Measures> {
    [this.#took, this.#failed, this.#left] = [[], 0, 0];
    const timer = setInterval(() => void this.#ask(), this.#everyMs);
    await until.finally(() => clearInterval(timer));
    const end = performance.now() + patienceMs;
    while (this.#open > 0 && performance.now() < end) await delay(this.#everyMs);
    const took = this.#took;
    const at = (percent: number): number => round(percentile(took, percent), 1);
    return { n: took.length, failed: this.#failed, left: this.#left, p50: at(50), p99: at(99), max: at(100) };
  }

  close(): void {
    this.#client.close();
  }

  async #ask(): Promise<void> {
    // Beyond this the wait of one more request would say nothing new.
    if (this.#open >= maxOpen) {
      this.#left += 1;
      return;
    }
    this.#open += 1;
    const at = performance.now();
    try {
      await this.#client.get('/runs?limit=1');
    } catch {
      this.#failed += 1;
    } finally {
      this.#took.push(performance.now() - at);
      this.#open -= 1;
    }
  }
}
