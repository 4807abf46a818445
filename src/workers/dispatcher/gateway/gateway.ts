/**
 * The sockets of runners in this process.
 *
 * Owns: the set of connections, heartbeats and evictions. Does not own: the life of one socket
 * (Connection), the connections that represent a runner (Roster), routing and passes (the host).
 */
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { internalError } from '../../../engine/errors.ts';
import type { Principal } from '../../../engine/keys/index.ts';
import type { InvokeHost, RunnerLink } from '../routing/runnerLink.ts';
import type { RunnerRegistry } from '../seams/runners.ts';
import { endCodes, replacedReason, restartingReason } from './closing.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { drainFrame, pingFrame } from './frames.ts';
import type { Hello } from './messages/hello.ts';
import { Roster } from './roster.ts';
import type { SocketLink } from './socketLink.ts';

/** Receives the runners that connect and disconnect. */
export interface LinkHost {
  linkOpened(link: RunnerLink): void;
  linkEnded(link: RunnerLink): void;
  /** The runner takes no new invokes. It will answer `inFlight`, or all if undefined. */
  linkDrained(link: RunnerLink, inFlight: ReadonlySet<string> | undefined): void;
}

export interface GatewayOptions {
  registry: RunnerRegistry;
  host: LinkHost;
  invokes: InvokeHost;
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

/** The owner and the number of a socket, as settled at its upgrade. */
export interface SocketOwner {
  principal: Principal;
  projectId: string;
  connectionNo: number;
}

export interface GatewayStats {
  sockets: number;
  ready: number;
}

export class Gateway implements ConnectionHost {
  readonly #options: GatewayOptions;
  readonly #connections = new Map<Connection, () => void>();
  readonly #roster: Roster;
  #lastSweepMs = performance.now();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#roster = new Roster(options);
  }

  stats(): GatewayStats {
    return { sockets: this.#connections.size, ready: this.#roster.size };
  }

  /** Adds an upgraded socket. */
  add(ws: WebSocket, socket: Duplex, { principal, projectId, connectionNo }: SocketOwner): void {
    const { congestedBytes, heartbeatMs, invokes, jsonDepth, log, newId, watchKey } = this.#options;
    const connection = new Connection({
      id: newId(),
      connectionNo,
      projectId,
      ws,
      socket,
      host: this,
      invokes,
      log,
      heartbeatMs,
      congestedBytes,
      jsonDepth,
    });
    const unwatch = watchKey(principal, () => this.#keyEnded(connection));
    this.#connections.set(connection, unwatch);
  }

  register(connection: Connection, hello: Hello): Promise<SocketLink> {
    return this.#roster.register(connection, hello);
  }

  opened(connection: Connection, link: SocketLink): void {
    const before = this.#roster.makeCurrent(connection, link);
    // The new link comes first, so that the passes of the old one find it.
    this.#options.host.linkOpened(link);
    before?.end(endCodes.replaced, replacedReason, replacedReason);
  }

  ended(connection: Connection, link: SocketLink): void {
    this.#roster.stepDown(connection, link);
    this.#options.host.linkEnded(link);
  }

  drained(connection: Connection, link: SocketLink, inFlight: ReadonlySet<string> | undefined): void {
    this.#roster.stepDown(connection, link);
    this.#options.host.linkDrained(link, inFlight);
  }

  gone(connection: Connection): void {
    this.#connections.get(connection)?.();
    this.#connections.delete(connection);
  }

  /** Sends due heartbeats, and ends connections that were silent or stalled for too long. */
  sweep(nowMs: number, everyMs: number): void {
    // A process that stood still read no frames. That time does not count as silence of runners.
    const excuseMs = Math.max(0, nowMs - this.#lastSweepMs - everyMs);
    this.#lastSweepMs = nowMs;
    for (const connection of this.#connections.keys()) {
      connection.lastHeardMs += excuseMs;
      this.#check(connection, nowMs);
    }
  }

  /** Records in the registry which runners were heard since the last call. */
  touch(): Promise<void> {
    return this.#roster.touch();
  }

  /**
   * Closes connections that a newer one has replaced elsewhere, and registers again those that the
   * registry does not have.
   */
  reconcile(): Promise<void> {
    return this.#roster.reconcile();
  }

  /** Asks all runners to connect elsewhere; they may still answer their passes. */
  drain(): void {
    for (const connection of [...this.#connections.keys()]) connection.drain(drainFrame);
  }

  /** Closes all sockets, and waits until the registry has recorded that, `withinMs` at most. */
  async close(withinMs: number): Promise<void> {
    for (const connection of [...this.#connections.keys()]) connection.end(endCodes.restarting, restartingReason);
    const deadlineMs = performance.now() + withinMs;
    while (this.#connections.size > 0 && performance.now() < deadlineMs) await pause(closePollMs);
    for (const connection of [...this.#connections.keys()]) connection.cut('did not close in time');
    await this.#roster.idle(Math.max(0, deadlineMs - performance.now()));
  }

  #check(connection: Connection, nowMs: number): void {
    const { helloTimeoutMs, livenessMs } = this.#options;
    const inPhaseMs = nowMs - connection.phaseSinceMs;
    switch (connection.phase) {
      case 'greeting':
        if (inPhaseMs > helloTimeoutMs) endSilent(connection, `no hello within ${helloTimeoutMs} ms`);
        return;
      case 'registering':
        if (inPhaseMs > livenessMs) connection.end(endCodes.internalError, internalError, internalError);
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
    // The socket may be half-open. Until it is evicted, other runners are preferred.
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

function endSilent(connection: Connection, reason: string): void {
  connection.end(endCodes.silent, reason, reason);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const suspectAfterMs = 10_000;
const closeTimeoutMs = 5_000;
const closePollMs = 20;
const revokedReason = 'the API key is not valid any more';
