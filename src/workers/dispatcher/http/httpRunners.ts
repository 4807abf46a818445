/**
 * The runners that are called by HTTP.
 *
 * Owns: which of them there are, and which are live. Does not own: invokes (HttpLink, Passes), in
 * which order the silent ones are asked (Probes).
 *
 * Invariants H1. A runner has a link in the routes exactly while it is live: seen within the
 * liveness window, by the database's clock when listed, by ours since. One whose invokes cannot be
 * signed, for want of a secret, has none for a while: its runs wait and lose no attempt. H2. Only
 * runners that have been silent for about the interval of probes are asked, and nobody waits for
 * the answers of others. H3. The registry is told only of what was heard here: what it said itself,
 * told again by one process and then by another, would keep a runner live that is gone.
 */
import type { Logger } from 'pino';
import type { HttpRunner } from '../../../engine/runners/index.ts';
import { Loop } from '../../loop.ts';
import { type InvokeHost, type RunnerIdentity, type RunnerLink, runnerKey } from '../routing/runnerLink.ts';
import type { RunnerRegistry } from '../runners.ts';
import type { HttpClient } from './httpClient.ts';
import { HttpLink } from './httpLink.ts';
import { Probes } from './probes.ts';
import { SecretCache } from './secretCache.ts';

export interface HttpRunnersOptions {
  registry: Pick<RunnerRegistry, 'httpRunners' | 'invokeSecrets' | 'touch'>;
  client: HttpClient;
  /** For probes: what they need must never be with invokes. */
  prober: HttpClient;
  host: {
    linkOpened(link: RunnerLink): void;
    /** No more invokes go to it; those under way may still be answered. */
    linkPaused(link: RunnerLink): void;
    /** The same, and of those under way it has these only. */
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
  /** Found by probes, and not told to the registry yet: runs may wait for them. */
  readonly #found = new Set<HttpLink>();
  readonly #telling: Loop;

  constructor(options: HttpRunnersOptions) {
    this.#options = options;
    const { log, probeMs, prober } = options;
    this.#secrets = new SecretCache((scope) => options.registry.invokeSecrets(scope));
    this.#probes = new Probes({
      client: prober,
      probeMs,
      isLive: (link) => this.#isLive(link),
      onAnswer: (link) => this.#answered(link),
      log,
    });
    const tell = (): Promise<void> => this.#tell([...this.#found]);
    this.#telling = new Loop({ name: 'tell of runners', restMs: tellingMs, turn: tell, log });
    this.#telling.start();
  }

  /** Runners that registered a URL, and those of them that are live. */
  stats(): HttpRunnersStats {
    return { httpRunners: this.#links.size, httpLive: this.#routed.size };
  }

  /** Secrets or definitions of a project changed. */
  forgetSecrets(): void {
    this.#secrets.clear();
    for (const link of this.#links.values()) link.unsignedUntilMs = 0;
  }

  /** Reads who is registered. */
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
   * Has the silent ones asked whether they are there, takes out who is gone, and tells the registry
   * who was heard.
   */
  async probeSilent(): Promise<void> {
    const silentSinceMs = performance.now() - this.#options.probeMs * silentPart;
    for (const link of this.#links.values()) {
      if (link.isSuspect || link.seenMs <= silentSinceMs) this.#probes.ask(link);
      this.#judge(link);
    }
    await this.#tell([...this.#links.values()].filter((link) => link.heardMs > link.toldMs));
  }

  /** No probe is sent any more. */
  stop(): Promise<void> {
    this.#probes.stop();
    return this.#telling.stop();
  }

  /** A probe found it. */
  #answered(link: HttpLink): void {
    if (this.#links.get(runnerKey(link)) !== link) return;
    link.heardMs = performance.now();
    link.isSuspect = false;
    this.#judge(link);
    this.#found.add(link);
    this.#telling.nudge();
  }

  async #tell(links: readonly HttpLink[]): Promise<void> {
    if (links.length === 0) return;
    const nowMs = performance.now();
    await this.#options.registry.touch(links.map((link) => link.runner.connectionId));
    for (const link of links) {
      link.toldMs = nowMs;
      if (link.heardMs <= nowMs) this.#found.delete(link);
    }
  }

  #enter(runner: HttpRunner, listedMs: number): void {
    const key = runnerKey(runner);
    const link = this.#links.get(key) ?? this.#make(runner);
    this.#links.set(key, link);
    link.listedMs = Math.max(link.listedMs, listedMs - runner.silentMs);
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

  /** Puts a runner into the routes or takes it out. */
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
   * Nothing can be signed for a runner: its invokes go elsewhere, or wait until it has registered
   * again.
   */
  #silence(link: HttpLink, underWay: ReadonlySet<string>): void {
    const { projectId, app, runnerId } = link;
    this.#options.log.warn(
      { projectId, app, runnerId },
      'a runner has to register again: its app has no readable secret',
    );
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
    this.#probes.forget(link);
    this.#pause(link);
  }
}

function isChanged(before: HttpRunner, after: HttpRunner): boolean {
  const { connectionId, maxInFlight, url, workflows } = before;
  if (connectionId !== after.connectionId || maxInFlight !== after.maxInFlight || url !== after.url) return true;
  return workflows.length !== after.workflows.length || workflows.some((name, at) => name !== after.workflows[at]);
}

/** Between two times that the registry is told who was found. */
const tellingMs = 500;
/**
 * A runner without a secret is tried again after that, where nobody said before that it has one.
 */
const unsignedMs = 10_000;
/** A runner that another dispatcher saw a moment ago need not be asked again. */
const silentPart = 0.8;
