/**
 * The sockets of runners in this process.
 *
 * Owns: which connections exist, which of them stands for a runner, heartbeats and evictions, sockets per key.
 * Does not own: the life of one socket (Connection), routing and passes (the host).
 *
 * Invariants
 * W1. Of the connections of one {app, runner} here only the newest stands for the runner; the one before is ended when it
 *     opens. One whose runner is closing stands for nobody: it answers what it has beside whoever came after it.
 * W2. A runner that is gone is told to the registry until it has heard it.
 * W3. Definitions come into force when a runner says them. A runner that is entered anew later has said nothing since, and others
 *     may have replaced them.
 */
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Principal } from '../../../engine/projects/index.ts';
import { inTurns } from '../inTurns.ts';
import { type RunnerLink, runnerKey } from '../routing/runnerLink.ts';
import type { OpenConnection, RegisteredRunner, RunnerRegistry } from '../runners.ts';
import type { LinkReply } from '../work.ts';
import { endCodes } from './closing.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { drainFrame, pingFrame } from './frames.ts';
import { Goodbyes } from './goodbyes.ts';
import type { Hello } from './messages/hello.ts';
import { SocketLink } from './socketLink.ts';

/** Who hears of runners that come, answer and go. */
export interface LinkHost {
  linkOpened(link: RunnerLink): void;
  linkEnded(link: RunnerLink): void;
  linkAnswered(link: RunnerLink, invokeId: string, reply: LinkReply): void;
  /** The runner takes no more invokes, and will answer these, or all that it has. */
  linkDrained(link: RunnerLink, inFlight: ReadonlySet<string> | undefined): void;
  linkUncongested(link: RunnerLink): void;
}

export interface GatewayOptions {
  registry: RunnerRegistry;
  host: LinkHost;
  log: Logger;
  dispatcherId: () => string;
  newId: () => string;
  /** Calls back when a key ends; the returned function stops that. */
  watchKey: (principal: Principal, onEnded: () => void) => () => void;
  heartbeatMs: number;
  livenessMs: number;
  helloTimeoutMs: number;
  congestedBytes: number;
  jsonDepth: number;
}

/** Who opened a socket, as authenticated at its upgrade. */
export interface SocketOwner {
  principal: Principal;
  projectId: string;
}

/** What sockets are counted by: the operator has no key that is kept. */
export const keyOf = (principal: Principal): string => ('keyId' in principal ? principal.keyId : principal.kind);

export interface GatewayStats {
  sockets: number;
  ready: number;
}

export class Gateway implements ConnectionHost {
  readonly #options: GatewayOptions;
  readonly #connections = new Map<Connection, () => void>();
  readonly #perKey = new Map<string, number>();
  readonly #current = new Map<string, Connection>();
  readonly #goodbyes: Goodbyes;
  #lastSweepMs = performance.now();
  #lastTouchMs = Number.NEGATIVE_INFINITY;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#goodbyes = new Goodbyes((ids) => options.registry.disconnect(ids), options.log);
  }

  stats(): GatewayStats {
    return { sockets: this.#connections.size, ready: this.#current.size };
  }

  /** Open sockets of a key in this process. */
  socketsOf(keyId: string): number {
    return this.#perKey.get(keyId) ?? 0;
  }

  /** Takes an upgraded socket in. */
  add(ws: WebSocket, socket: Duplex, { principal, projectId }: SocketOwner): void {
    const { congestedBytes, heartbeatMs, jsonDepth, log, newId, watchKey } = this.#options;
    const id = newId();
    const keyId = keyOf(principal);
    const connection = new Connection({
      id,
      projectId,
      keyId,
      ws,
      socket,
      host: this,
      log,
      heartbeatMs,
      congestedBytes,
      jsonDepth,
    });
    const unwatch = watchKey(principal, () => this.#keyEnded(connection));
    this.#connections.set(connection, unwatch);
    this.#perKey.set(keyId, this.socketsOf(keyId) + 1);
  }

  async register(connection: Connection, hello: Hello): Promise<SocketLink> {
    const { app, runnerId, workflows } = await this.#enter(connection, hello, false);
    const { maxInFlight } = hello;
    const { projectId } = connection;
    return new SocketLink({ connection, projectId, app, runnerId, maxInFlight, workflows: new Set(workflows) });
  }

  opened(connection: Connection, link: SocketLink): void {
    const key = runnerKey(link);
    const before = this.#current.get(key);
    this.#current.set(key, connection);
    // First the new one, so that the passes of the old one find it.
    this.#options.host.linkOpened(link);
    before?.end(endCodes.replaced, replacedReason, replacedReason);
  }

  ended(connection: Connection, link: SocketLink): void {
    this.#stepDown(connection, link);
    this.#options.host.linkEnded(link);
  }

  drained(connection: Connection, link: SocketLink, inFlight: ReadonlySet<string> | undefined): void {
    this.#stepDown(connection, link);
    this.#options.host.linkDrained(link, inFlight);
  }

  answered(link: SocketLink, invokeId: string, reply: LinkReply): void {
    this.#options.host.linkAnswered(link, invokeId, reply);
  }

  uncongested(link: SocketLink): void {
    this.#options.host.linkUncongested(link);
  }

  gone(connection: Connection): void {
    this.#connections.get(connection)?.();
    if (!this.#connections.delete(connection)) return;
    const { keyId } = connection;
    const left = this.socketsOf(keyId) - 1;
    if (left > 0) this.#perKey.set(keyId, left);
    else this.#perKey.delete(keyId);
  }

  /** Sends heartbeats that are due, and ends what was silent, stalled or mute for too long. */
  sweep(nowMs: number, everyMs: number): void {
    // Silence is counted in turns: while this process stood still, what was said to it was not heard.
    const excuseMs = Math.max(0, nowMs - this.#lastSweepMs - everyMs);
    this.#lastSweepMs = nowMs;
    for (const connection of this.#connections.keys()) {
      connection.lastHeardMs += excuseMs;
      this.#check(connection, nowMs);
    }
  }

  /** Tells the registry who was heard since the last time. */
  async touch(): Promise<void> {
    const sinceMs = this.#lastTouchMs;
    this.#lastTouchMs = performance.now();
    const heard = [...this.#current.values()].filter((connection) => connection.lastHeardMs >= sinceMs);
    if (heard.length === 0) return;
    try {
      await this.#options.registry.touch(heard.map(({ id }) => id));
    } catch (error) {
      this.#lastTouchMs = Math.min(this.#lastTouchMs, sinceMs);
      throw error;
    }
  }

  /**
   * Ends connections whose runner connected elsewhere since, and enters those anew for whose runner nobody stands: others found
   * this dispatcher silent, or a connection that was given up was entered late. A runner that is told it was replaced stays away.
   * One that was told to drain has connected elsewhere as it should, and still finishes what it has here.
   */
  async dropReplaced(): Promise<void> {
    const beforeMs = performance.now();
    const open = [...this.#current.values()].flatMap(standingOf);
    if (open.length === 0) return;
    const { replaced, forgotten } = await this.#options.registry.strayConnections(open);
    const before = [...this.#current.values()].filter(
      ({ phase, phaseSinceMs }) => phase === 'ready' && phaseSinceMs < beforeMs,
    );
    for (const connection of before)
      if (replaced.has(connection.id)) connection.end(endCodes.replaced, replacedReason, replacedReason);
    await this.#enterAnew(before.filter((connection) => forgotten.has(connection.id)));
  }

  /** Enters all runners anew, under the new id of this dispatcher. */
  async registerAgain(): Promise<void> {
    await this.#enterAnew([...this.#current.values()]);
  }

  /** A runner for whom that fails is sent away; one that went meanwhile is entered no more, or taken back. */
  async #enterAnew(connections: readonly Connection[]): Promise<void> {
    await inTurns(connections, registrationsAtOnce, async (connection) => {
      const { hello, link } = connection;
      if (!hello || !link) return;
      try {
        await this.#enter(connection, hello, true);
        if (this.#current.get(runnerKey(link)) !== connection) this.#goodbyes.add(connection.id);
      } catch (error) {
        this.#options.log.warn({ err: error, connectionId: connection.id }, 'a runner could not be registered again');
        connection.end(endCodes.restarting, restartingReason);
      }
    });
  }

  /** Tells all runners to go elsewhere; what they have in hand they may still answer. */
  drain(): void {
    for (const connection of [...this.#connections.keys()]) connection.drain(drainFrame);
  }

  /** Closes all sockets, and waits until the registry knows, `withinMs` at most. */
  async close(withinMs: number): Promise<void> {
    for (const connection of [...this.#connections.keys()]) connection.end(endCodes.restarting, restartingReason);
    const deadlineMs = performance.now() + withinMs;
    while (this.#connections.size > 0 && performance.now() < deadlineMs) await pause(closePollMs);
    for (const connection of [...this.#connections.keys()]) connection.cut('did not close in time');
    await this.#goodbyes.idle(Math.max(0, deadlineMs - performance.now()));
  }

  /** The connection stands for its runner no more. The registry hears it again at the end: it may have been entered meanwhile. */
  #stepDown(connection: Connection, link: SocketLink): void {
    const key = runnerKey(link);
    if (this.#current.get(key) === connection) this.#current.delete(key);
    this.#goodbyes.add(connection.id);
  }

  #enter(
    { id: connectionId, projectId }: Connection,
    { registration }: Hello,
    isReturn: boolean,
  ): Promise<RegisteredRunner> {
    const { dispatcherId, registry } = this.#options;
    return registry.register({ projectId, registration, dispatcherId: dispatcherId(), connectionId, isReturn });
  }

  #check(connection: Connection, nowMs: number): void {
    const { helloTimeoutMs, livenessMs } = this.#options;
    const inPhaseMs = nowMs - connection.phaseSinceMs;
    switch (connection.phase) {
      case 'greeting':
        if (inPhaseMs > helloTimeoutMs) endSilent(connection, `no hello within ${helloTimeoutMs} ms`);
        return;
      case 'registering':
        if (inPhaseMs > livenessMs) connection.end(endCodes.internalError, 'internal error', 'internal error');
        return;
      case 'ready':
      case 'draining':
        this.#checkAlive(connection, nowMs);
        return;
      case 'closing':
        if (inPhaseMs > closeTimeoutMs) connection.cut('did not answer the close');
        return;
      case 'closed':
        return;
    }
  }

  #checkAlive(connection: Connection, nowMs: number): void {
    const { heartbeatMs, livenessMs } = this.#options;
    if (connection.hasTakenIn()) {
      connection.lastHeardMs = nowMs;
      connection.congestedSinceMs = undefined;
    }
    if (connection.isCongested) connection.congestedSinceMs ??= nowMs;
    else connection.congestedSinceMs = undefined;
    const { lastHeardMs, lastPingMs, link } = connection;
    // It may be half-open: whoever answers goes first, long before it is given up.
    if (link)
      link.isSuspect = lastHeardMs < lastPingMs && nowMs - lastPingMs > Math.min(suspectAfterMs, livenessMs / 3);
    if (nowMs - lastHeardMs > livenessMs) {
      endSilent(connection, `silent for ${livenessMs} ms`);
    } else if (nowMs - (connection.congestedSinceMs ?? nowMs) > livenessMs) {
      connection.cut('reads too slowly');
    } else if (nowMs >= connection.nextPingMs) {
      connection.nextPingMs = nowMs + heartbeatMs;
      if (lastHeardMs >= lastPingMs || lastPingMs > nowMs) connection.lastPingMs = nowMs;
      connection.write('ping', pingFrame);
    }
  }

  #keyEnded(connection: Connection): void {
    connection.end(endCodes.badKey, revokedReason, revokedReason);
  }
}

/** The runner that a connection stands for; none once it is over. */
function standingOf({ id, link }: Connection): OpenConnection[] {
  if (!link) return [];
  const { projectId, app, runnerId } = link;
  return [{ connectionId: id, projectId, app, runnerId }];
}

function endSilent(connection: Connection, reason: string): void {
  connection.end(endCodes.silent, reason, reason);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const registrationsAtOnce = 8;
const suspectAfterMs = 10_000;
const closeTimeoutMs = 5_000;
const closePollMs = 20;
const replacedReason = 'replaced by a newer connection of the same runner';
const restartingReason = 'the service is restarting';
const revokedReason = 'the API key is not valid any more';
