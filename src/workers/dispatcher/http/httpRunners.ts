/**
 * The runners that are called by HTTP.
 *
 * Owns: the set of these runners, and which of them are live. Does not own: invokes (HttpLink,
 * Passes), the order in which silent runners are probed (Probes).
 *
 * Invariants
 * H1. A runner has a link in the routes exactly while it is live: seen within the liveness window.
 *     The database's clock counts when it is listed, ours since. A runner without a readable secret
 *     has no link for a while: its runs wait and lose no attempt.
 * H2. Only runners that were silent for about the interval of probes are probed, and no probe waits
 *     for the answer of another runner.
 * H3. Only answers that this process heard itself are recorded in the registry. If processes
 *     recorded what they read there, they would keep a dead runner live.
 * H4. A runner that has missed all probes for the liveness window is not live, however often it
 *     registers. Once it has missed one, it is probed until it answers.
 */
import type { Logger } from 'pino';
import type { HttpRunner } from '../../../engine/runners/index.ts';
import { Loop } from '../../loop.ts';
import { type InvokeHost, type RunnerIdentity, type RunnerLink, runnerKey } from '../routing/runnerLink.ts';
import type { RunnerRegistry } from '../seams/runners.ts';
import type { HttpClient } from './httpClient.ts';
import { HttpLink } from './httpLink.ts';
import { Probes } from './probes.ts';
import { SecretCache } from './secretCache.ts';

export interface HttpRunnersOptions {
  registry: Pick<RunnerRegistry, 'httpRunners' | 'invokeSecrets' | 'missed' | 'touch'>;
  client: HttpClient;
  /** The client of probes, with connections of its own: invokes may hold all others. */
  prober: HttpClient;
  host: {
    linkOpened(link: RunnerLink): void;
    /** The runner gets no new invokes, and may answer its open ones. */
    linkPaused(link: RunnerLink): void;
    /** The same, and `inFlight` are its only open invokes. */
    linkDrained(link: RunnerLink, inFlight: ReadonlySet<string>): void;
  };
  invokes: InvokeHost;
  livenessMs: number;
  probeMs: number;
  nowSeconds: () => number;
  log: Logger;
}

export interface HttpRunnersStats {
  httpRunners: number;
  httpLive: number;
}

export class HttpRunners {
  readonly #options: HttpRunnersOptions;
  readonly #links = new Map<string, HttpLink>();
  readonly #routed = new Set<HttpLink>();
  readonly #secrets: SecretCache;
  readonly #probes: Probes;
  /** Runners found by probes, and not recorded in the registry yet. Runs may wait for them. */
  readonly #found = new Set<HttpLink>();
  /** Runners that missed a probe, which is not recorded in the registry yet. */
  readonly #missed = new Set<HttpLink>();
  readonly #recording: Loop;

  constructor(options: HttpRunnersOptions) {
    this.#options = options;
    const { log, probeMs, prober } = options;
    this.#secrets = new SecretCache((scope) => options.registry.invokeSecrets(scope));
    this.#probes = new Probes({
      client: prober,
      probeMs,
      isLive: (link) => this.#isLive(link),
      onAnswer: (link) => this.#answered(link),
      onMiss: (link) => this.#miss(link),
      log,
    });
    const record = async (): Promise<void> => {
      await this.#record([...this.#found]);
      await this.#recordMissed();
    };
    this.#recording = new Loop({ name: 'record runners', restMs: recordRestMs, turn: record, log });
    this.#recording.start();
  }

  /** The numbers of runners that registered a URL, and of live ones among them. */
  stats(): HttpRunnersStats {
    return { httpRunners: this.#links.size, httpLive: this.#routed.size };
  }

  /** Drops cached secrets, because secrets or definitions of a project changed. */
  forgetSecrets(): void {
    this.#secrets.clear();
    for (const link of this.#links.values()) link.unsignedUntilMs = 0;
  }

  /** Reads the registered runners. */
  async refresh(): Promise<void> {
    const listedMs = performance.now();
    const runners = await this.#options.registry.httpRunners();
    const keys = new Set<string>();
    for (const runner of runners) {
      keys.add(runnerKey(runner));
      this.#enter(runner, listedMs);
    }
    for (const [key, link] of this.#links) if (!keys.has(key)) this.#drop(key, link);
  }

  /**
   * Probes silent runners (H2), removes runners that are gone from the routes (H1), and records in
   * the registry which runners were heard (H3).
   */
  async probeSilent(): Promise<void> {
    const silentSinceMs = performance.now() - this.#options.probeMs * silentPart;
    for (const link of this.#links.values()) {
      if (link.isSuspect || link.seenMs <= silentSinceMs) this.#probes.ask(link);
      this.#judge(link);
    }
    await this.#record([...this.#links.values()].filter((link) => link.heardMs > link.recordedMs));
  }

  /** Stops probing. */
  stop(): Promise<void> {
    this.#probes.stop();
    return this.#recording.stop();
  }

  /** A probe was answered. */
  #answered(link: HttpLink): void {
    if (this.#links.get(runnerKey(link)) !== link) return;
    link.heardMs = performance.now();
    link.isSuspect = false;
    this.#missed.delete(link);
    this.#judge(link);
    this.#found.add(link);
    this.#recording.nudge();
  }

  /**
   * H4. A probe was missed. The runner is probed until it answers, however often it registers.
   */
  #miss(link: HttpLink): void {
    if (this.#links.get(runnerKey(link)) !== link) return;
    link.isSuspect = true;
    this.#missed.add(link);
    this.#recording.nudge();
  }

  /** H4. Takes runners that have missed all probes for too long from the routes. */
  async #recordMissed(): Promise<void> {
    const links = [...this.#missed];
    if (links.length === 0) return;
    const askedMs = performance.now();
    const gone = new Set(await this.#options.registry.missed(links.map((link) => link.runner.connectionId)));
    for (const link of links) {
      this.#missed.delete(link);
      if (!gone.has(link.runner.connectionId) || link.heardMs > askedMs) continue;
      link.listedMs = Number.NEGATIVE_INFINITY;
      link.heardMs = Number.NEGATIVE_INFINITY;
      this.#judge(link);
    }
  }

  async #record(links: readonly HttpLink[]): Promise<void> {
    if (links.length === 0) return;
    const nowMs = performance.now();
    await this.#options.registry.touch(links.map((link) => link.runner.connectionId));
    for (const link of links) {
      link.recordedMs = nowMs;
      if (link.heardMs <= nowMs) this.#found.delete(link);
    }
  }

  #enter(runner: HttpRunner, listedMs: number): void {
    const key = runnerKey(runner);
    const link = this.#links.get(key) ?? this.#make(runner);
    this.#links.set(key, link);
    link.listedMs = listedMs - runner.silentMs;
    if (isChanged(link.runner, runner)) {
      this.#pause(link);
      this.#probes.forget(link);
      link.update(runner);
      link.isSuspect = false;
    }
    this.#judge(link);
  }

  #make(runner: HttpRunner): HttpLink {
    const { client, invokes, log, nowSeconds } = this.#options;
    const secrets = (scope: RunnerIdentity, refused?: readonly string[]): Promise<readonly string[]> =>
      refused ? this.#secrets.renew(scope, refused) : this.#secrets.get(scope);
    return new HttpLink({
      runner,
      client,
      secrets,
      nowSeconds,
      log,
      invokes,
      onUnsigned: (...withheld) => this.#silence(...withheld),
    });
  }

  /** Adds a runner to the routes, or removes it (H1). */
  #judge(link: HttpLink): void {
    if (!this.#isLive(link) || performance.now() < link.unsignedUntilMs) {
      this.#pause(link);
    } else if (!this.#routed.has(link)) {
      this.#routed.add(link);
      this.#options.host.linkOpened(link);
    }
  }

  #isLive(link: HttpLink): boolean {
    return performance.now() - link.seenMs < this.#options.livenessMs;
  }

  /**
   * Removes a runner that no secret can sign for. Its invokes go elsewhere, or wait for a secret.
   */
  #silence(link: HttpLink, underWay: ReadonlySet<string>): void {
    const { projectId, app, runnerId } = link;
    this.#options.log.warn({ projectId, app, runnerId }, 'no readable invoke secret: the runner must register again');
    link.unsignedUntilMs = performance.now() + unsignedMs;
    this.#routed.delete(link);
    this.#options.host.linkDrained(link, underWay);
  }

  #pause(link: HttpLink): void {
    if (this.#routed.delete(link)) this.#options.host.linkPaused(link);
  }

  #drop(key: string, link: HttpLink): void {
    this.#links.delete(key);
    this.#found.delete(link);
    this.#missed.delete(link);
    this.#probes.forget(link);
    this.#pause(link);
  }
}

function isChanged(before: HttpRunner, after: HttpRunner): boolean {
  const { connectionId, maxInFlight, url, workflows } = before;
  if (connectionId !== after.connectionId || maxInFlight !== after.maxInFlight || url !== after.url) return true;
  return workflows.length !== after.workflows.length || workflows.some((name, at) => name !== after.workflows[at]);
}

/** The interval between two records of runners that probes found. */
const recordRestMs = 500;
/** The delay before a runner without a secret is tried again. A change of its project ends it. */
const unsignedMs = 10_000;
/** The part of the interval that counts as silence: other dispatchers probe the runner, too. */
const silentPart = 0.8;
