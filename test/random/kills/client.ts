import { type Holdfast, HoldfastApiError } from '@holdfast/sdk';
import type { Coverage } from '../kit/coverage.ts';

/** One client for each process of the service. */
export class KillClient {
  readonly #clients: readonly Holdfast[];
  readonly #coverage: Coverage;
  #turn = 0;

  constructor(clients: readonly Holdfast[], coverage: Coverage) {
    this.#clients = clients;
    this.#coverage = coverage;
  }

  /** Asks both processes in turn until one answers, as a client with a dedupe key may. */
  async insist<T>(ask: (hf: Holdfast) => Promise<T>): Promise<T> {
    this.#turn += 1;
    const first = this.#turn;
    for (let tries = 0; tries < 2_000; tries += 1) {
      const hf = this.#clients[(first + tries) % this.#clients.length];
      if (!hf) break;
      try {
        return await ask(hf);
      } catch (error) {
        this.#coverage.count('unanswered', nameOf(error));
        await pause(50);
      }
    }
    throw new Error('no process answers any more');
  }
}

/** The service's refusal, or that it gave no answer. */
function nameOf(error: unknown): string {
  if (error instanceof HoldfastApiError) return `${error.status} ${error.message}`;
  return error instanceof Error ? error.name : 'unknown';
}

/** Real processes exit and start in their own time: there is no event to wait for. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
