/**
 * Asks HTTP runners whether they are there.
 *
 * Owns: who is asked when, and for how long. Does not own: what an answer means (HttpRunners).
 *
 * Invariants B1. Probes are bounded in number, each ends in time, and a runner is asked once at a
 * time in each line. B2. Live runners are asked in a line of their own, in which all have to answer
 * at once, or as soon as they use to. So whoever hangs holds up the others but shortly, and not for
 * longer than it counts as live. B3. All others stand in a second line with places of its own:
 * first for a short answer, later for one that may take its time. B4. Who hangs there, too, is
 * asked ever more seldom, until it is seen again by anybody. Who refuses at once costs nothing, and
 * is asked each time.
 */
import type { Logger } from 'pino';
import type { HttpLink } from './httpLink.ts';
import { Line } from './line.ts';
import { type ProbeClient, probe } from './probe.ts';

export interface ProbesOptions {
  client: ProbeClient;
  /** Between two probes of a runner that does not hang. */
  probeMs: number;
  isLive: (link: HttpLink) => boolean;
  onAnswer: (link: HttpLink) => void;
  log: Logger;
}

export class Probes {
  readonly #options: ProbesOptions;
  readonly #first: Line<HttpLink>;
  readonly #second: Line<HttpLink>;
  /** How long their last answer took, of those that answered. */
  readonly #tookMs = new WeakMap<HttpLink, number>();
  readonly #misses = new WeakMap<HttpLink, Misses>();
  readonly #patienceMs: number;
  readonly #promptMs: number;
  #isStopped = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
    this.#patienceMs = Math.min(options.probeMs, patienceMs);
    this.#promptMs = this.#patienceMs * promptPart;
    const onError = (error: unknown): void => options.log.warn({ err: error }, 'a runner could not be probed');
    this.#first = new Line({ places, serve: (link) => this.#askLive(link), onError });
    this.#second = new Line({ places, serve: (link) => this.#askDoubtful(link), onError });
  }

  /**
   * Asks a runner that has been silent, as soon as there is a place, unless it is to be left alone
   * for a while.
   */
  ask(link: HttpLink): void {
    if (this.#isStopped) return;
    if (this.#options.isLive(link)) this.#first.add(link);
    else this.#doubt(link);
  }

  /** The runner is gone, or has another URL: nothing is known of it. */
  forget(link: HttpLink): void {
    this.#first.remove(link);
    this.#second.remove(link);
    this.#tookMs.delete(link);
    this.#misses.delete(link);
  }

  /** None is asked any more. */
  stop(): void {
    this.#isStopped = true;
    this.#first.clear();
    this.#second.clear();
  }

  #doubt(link: HttpLink): void {
    if (performance.now() >= this.#missesOf(link).untilMs) this.#second.add(link);
  }

  async #askLive(link: HttpLink): Promise<void> {
    if ((await this.#ask(link, this.#shortMs(link))) !== 'hangs') return;
    if (this.#missesOf(link).count === 0) this.#misses.set(link, { count: 1, lastMs: performance.now(), untilMs: 0 });
    this.#doubt(link);
  }

  async #askDoubtful(link: HttpLink): Promise<void> {
    const { count } = this.#missesOf(link);
    if ((await this.#ask(link, count === 0 ? this.#shortMs(link) : this.#patienceMs)) !== 'hangs') return;
    const lastMs = performance.now();
    const pause = count === 0 ? 0 : Math.min(2 ** count, longestPause);
    this.#misses.set(link, { count: count + 1, lastMs, untilMs: lastMs + pause * this.#options.probeMs });
  }

  /** Who is known to be slow has a while longer. */
  #shortMs(link: HttpLink): number {
    const usualMs = this.#tookMs.get(link) ?? 0;
    return Math.min(this.#patienceMs, Math.max(this.#promptMs, usualMs * slack));
  }

  /** Those since it was last seen. */
  #missesOf(link: HttpLink): Misses {
    const misses = this.#misses.get(link);
    return misses && misses.lastMs >= link.seenMs ? misses : noMisses;
  }

  async #ask(link: HttpLink, withinMs: number): Promise<Outcome> {
    const { url } = link.runner;
    const sentMs = performance.now();
    const isThere = await probe(this.#options.client, url, withinMs);
    const tookMs = performance.now() - sentMs;
    // What was at its former URL says nothing.
    if (this.#isStopped || link.runner.url !== url) return 'unknown';
    if (!isThere && tookMs > this.#promptMs / 2) return 'hangs';
    this.#misses.delete(link);
    this.#second.remove(link);
    if (!isThere) return 'refuses';
    this.#tookMs.set(link, tookMs);
    this.#options.onAnswer(link);
    return 'answers';
  }
}

type Outcome = 'answers' | 'refuses' | 'hangs' | 'unknown';

interface Misses {
  /** 1: it did not answer at once. From 2 on: not even in its own time. */
  count: number;
  lastMs: number;
  /** Until then it is left alone. */
  untilMs: number;
}

const noMisses: Misses = { count: 0, lastMs: 0, untilMs: 0 };

/** In each line. */
const places = 256;
const patienceMs = 10_000;
/** Of the patience, what a runner has to answer at once. */
const promptPart = 0.2;
/** How much longer than the last time an answer may take. */
const slack = 3;
/** In intervals of probes. */
const longestPause = 8;
