import { invalid } from '../../engine/errors.ts';

const maxMegabytes = 128;

/** How much payload text one request may bring into memory: a list of runs may hold a megabyte per field. */
export class PayloadBudget {
  #left = maxMegabytes * 1024 * 1024;

  /** Throws `invalid` once the request has asked for too much. */
  spend(texts: Iterable<string | null>): void {
    for (const text of texts) this.#left -= text?.length ?? 0;
    if (this.#left < 0) {
      throw invalid(`the answer holds more than ${maxMegabytes} MiB of payloads: ask for fewer at once`);
    }
  }
}
