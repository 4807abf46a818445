/**
 * Probes HTTP runners: asks whether they are there.
 *
 * Owns: when a runner is probed, and the timeout. Does not own: the consequences of an answer
 * (HttpRunners).
 *
 * Invariants
 * B1. The number of probes is bounded, each ends in time, and each line has at most one of a
 *     runner.
 * B2. Live runners are probed in a line of their own, with a short timeout. Its length follows from
 *     the last answer of the runner. So a runner that hangs delays the others only briefly, and
 *     only while it counts as live.
 * B3. All other runners are probed in a second line: first with the short timeout, later with the
 *     long one. The first line does not delay it.
 * B4. A runner that hangs there, too, is probed with growing pauses until any process sees it
 *     again. A runner that refuses at once costs little, and is probed each time.
 */
import type { Logger } from 'pino';
import type { HttpLink } from './httpLink.ts';
import { Line } from './line.ts';
import { type ProbeClient, probe } from './probe.ts';

export interface ProbesOptions {
  client: ProbeClient;
  /** The interval between two probes of a runner that does not hang. */
  probeMs: number;
  isLive: (link: HttpLink) => boolean;
  onAnswer: (link: HttpLink) => void;
  /** The runner refused the probe, or left it without an answer. */
  onMiss: (link: HttpLink) => void;
  log: Logger;
}

export class Probes {
  readonly #options: ProbesOptions;
  readonly #first: Line<HttpLink>;
  readonly #second: Line<HttpLink>;
  /** How long the last answer of a runner took. */
  readonly #tookMs = new WeakMap<HttpLink, number>();
  readonly #misses = new WeakMap<HttpLink, Misses>();
  readonly #timeoutMs: number;
  readonly #promptMs: number;
  #isStopped = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
    this.#timeoutMs = Math.min(options.probeMs, longestTimeoutMs);
    this.#promptMs = this.#timeoutMs * promptPart;
    const onError = (error: unknown): void => options.log.warn({ err: error }, 'probing a runner failed');
    // B1
    this.#first = new Line({ maxServed, serve: (link) => this.#probeLive(link), onError });
    this.#second = new Line({ maxServed, serve: (link) => this.#probeSilent(link), onError });
  }

  /** Probes a runner as soon as its line allows, unless it has a pause (B4). */
  ask(link: HttpLink): void {
    if (this.#isStopped) return;
    if (this.#options.isLive(link)) this.#first.add(link);
    else this.#askLater(link);
  }

  /** Forgets a runner that is gone, or that has another URL. */
  forget(link: HttpLink): void {
    this.#first.remove(link);
    this.#second.remove(link);
    this.#tookMs.delete(link);
    this.#misses.delete(link);
  }

  /** Stops probing. */
  stop(): void {
    this.#isStopped = true;
    this.#first.clear();
    this.#second.clear();
  }

  /** B3 */
  #askLater(link: HttpLink): void {
    if (performance.now() >= this.#missesOf(link).untilMs) this.#second.add(link);
  }

  /** B2 */
  async #probeLive(link: HttpLink): Promise<void> {
    if ((await this.#probe(link, this.#shortMs(link))) !== 'hangs') return;
    if (this.#missesOf(link).count === 0) this.#misses.set(link, { count: 1, lastMs: performance.now(), untilMs: 0 });
    this.#askLater(link);
  }

  /** B3, B4 */
  async #probeSilent(link: HttpLink): Promise<void> {
    const { count } = this.#missesOf(link);
    if ((await this.#probe(link, count === 0 ? this.#shortMs(link) : this.#timeoutMs)) !== 'hangs') return;
    const lastMs = performance.now();
    const pause = count === 0 ? 0 : Math.min(2 ** count, longestPause);
    this.#misses.set(link, { count: count + 1, lastMs, untilMs: lastMs + pause * this.#options.probeMs });
  }

  /** The short timeout. A runner whose last answer was slow gets a longer one. */
  #shortMs(link: HttpLink): number {
    const usualMs = this.#tookMs.get(link) ?? 0;
    return Math.min(this.#timeoutMs, Math.max(this.#promptMs, usualMs * slack));
  }

  /** The misses since any process last saw it. */
  #missesOf(link: HttpLink): Misses {
    const misses = this.#misses.get(link);
    return misses && misses.lastMs >= link.seenMs ? misses : noMisses;
  }

  async #probe(link: HttpLink, withinMs: number): Promise<Outcome> {
    const { url } = link.runner;
    const sentMs = performance.now();
    const isThere = await probe(this.#options.client, url, withinMs);
    const tookMs = performance.now() - sentMs;
    // An answer of its former URL does not count.
    if (this.#isStopped || link.runner.url !== url) return 'unknown';
    if (!isThere) this.#options.onMiss(link);
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
  /** 1: the short timeout was missed. From 2 on: the long one, too. */
  count: number;
  lastMs: number;
  /** The end of the pause. */
  untilMs: number;
}

const noMisses: Misses = { count: 0, lastMs: 0, untilMs: 0 };

/** Probes at once, in each line. */
const maxServed = 256;
const longestTimeoutMs = 10_000;
/** The short timeout, as a part of the long one. */
const promptPart = 0.2;
/** How many times longer than the last answer the next may take. */
const slack = 3;
/** The longest pause, in intervals of probes. */
const longestPause = 8;
