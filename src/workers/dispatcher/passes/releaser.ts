import type { ClaimedPass } from '../work.ts';

/** Hands passes back, many at a time. */
export class Releaser<Pass extends ClaimedPass> {
  readonly #release: (passes: readonly Pass[]) => Promise<void>;
  #queue: Pass[] = [];
  #running: Promise<void> | undefined;

  constructor(release: (passes: readonly Pass[]) => Promise<void>) {
    this.#release = release;
  }

  add(pass: Pass): void {
    this.#queue.push(pass);
    this.#running ??= this.#run();
  }

  /** Resolves once everything is handed back. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Whatever is given up in the same turn goes together.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#release(this.#queue.splice(0, maxBatch));
    this.#running = undefined;
  }
}

const maxBatch = 500;
