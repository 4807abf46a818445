import type { Logger } from 'pino';

interface Part {
  name: string;
  stop: () => Promise<void>;
}

/** Stops the started parts. A part that fails to stop is logged, and does not delay the others. */
export class Teardown {
  readonly #log: Logger;
  readonly #first: Part[] = [];
  readonly #last: Part[] = [];
  #running: Promise<void> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds a part that takes work or talks to clients. These parts stop first, all at once. */
  first(name: string, stop: () => Promise<void>): void {
    this.#first.push({ name, stop });
  }

  /** Adds a part on which others depend. These parts stop afterwards, the newest first. */
  last(name: string, stop: () => Promise<void>): void {
    this.#last.push({ name, stop });
  }

  /** Idempotent. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    await Promise.all(this.#first.map((part) => this.#stop(part)));
    for (const part of this.#last.toReversed()) await this.#stop(part);
  }

  async #stop({ name, stop }: Part): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.#log.error({ err: error, part: name }, 'stop failed');
    }
  }
}
