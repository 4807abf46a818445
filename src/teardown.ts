import type { Logger } from 'pino';

interface Part {
  name: string;
  stop: () => Promise<void>;
}

/**
 * What must be stopped, noted while it comes up. A part that fails to stop is logged and holds up
 * nobody else.
 */
export class Teardown {
  readonly #log: Logger;
  readonly #first: Part[] = [];
  readonly #last: Part[] = [];
  #running: Promise<void> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A part that takes work or talks to clients: these stop first, all at once. */
  first(name: string, stop: () => Promise<void>): void {
    this.#first.push({ name, stop });
  }

  /** A part that others stand on: these stop afterwards, the newest first. */
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
      this.#log.error({ err: error, part: name }, 'could not be stopped cleanly');
    }
  }
}
