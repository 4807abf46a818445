/**
 * The connections of this process that represent a runner.
 *
 * Owns: the current connection of each runner, and how the registry learns of it.
 * Does not own: the life of one socket (Connection), the set of all sockets (Gateway).
 *
 * Invariants
 * W1. The newest connection of one {app, runner}, over all processes, represents the runner: the
 *     one with the highest number. Older ones are closed with 4410, which is final. A draining
 *     connection represents no runner: it answers its passes beside the newer one.
 * W2. A closed connection is reported to the registry until the registry has recorded it. So is a
 *     connection whose registration failed with an unknown outcome.
 * W3. Definitions take effect when a runner says hello. To register its connection again later
 *     changes no definition: others may have replaced them since.
 */
import type { Logger } from 'pino';
import { HoldfastError } from '../../../engine/errors.ts';
import type { OpenConnection } from '../../../engine/runners/index.ts';
import { Outbox } from '../../outbox.ts';
import { within } from '../../within.ts';
import { runnerKey } from '../routing/runnerLink.ts';
import type { RegisteredRunner, RunnerRegistry } from '../seams/runners.ts';
import { endCodes, replacedReason, restartingReason, WireError } from './closing.ts';
import type { Connection } from './connection.ts';
import type { Hello } from './messages/hello.ts';
import { SocketLink } from './socketLink.ts';

export interface RosterOptions {
  registry: RunnerRegistry;
  log: Logger;
  dispatcherId: () => string;
}

export class Roster {
  readonly #options: RosterOptions;
  readonly #current = new Map<string, Connection>();
  /** The ids of connections that the registry has to mark as closed (W2). */
  readonly #closed: Outbox<string>;
  readonly #registering = new Set<Promise<RegisteredRunner>>();
  #lastTouchMs = Number.NEGATIVE_INFINITY;

  constructor(options: RosterOptions) {
    this.#options = options;
    const { log, registry } = options;
    this.#closed = new Outbox({ name: 'disconnecting runners', send: (ids) => registry.disconnect(ids), log });
  }

  /** Runners that a connection represents. */
  get size(): number {
    return this.#current.size;
  }

  /**
   * Registers a runner that said hello; its connection represents it from `makeCurrent` on. Throws
   * if a newer connection represents it (W1).
   */
  async register(connection: Connection, hello: Hello): Promise<SocketLink> {
    const { app, runnerId, workflows, isEntered } = await this.#registerFirst(connection, hello);
    if (!isEntered) throw new WireError(endCodes.replaced, replacedReason);
    const { features, maxInFlight } = hello;
    const { projectId } = connection;
    return new SocketLink({
      connection,
      projectId,
      app,
      runnerId,
      maxInFlight,
      holdsHandlers: features.includes('continue'),
      workflows: new Set(workflows),
    });
  }

  /** The connection represents its runner from now on. Answers with the one before, to close. */
  makeCurrent(connection: Connection, link: SocketLink): Connection | undefined {
    const key = runnerKey(link);
    const before = this.#current.get(key);
    this.#current.set(key, connection);
    return before;
  }

  /** The connection does not represent its runner any more. */
  stepDown(connection: Connection, link: SocketLink): void {
    const key = runnerKey(link);
    if (this.#current.get(key) === connection) this.#current.delete(key);
    // W2. Also after a drain, because the connection may have been registered again meanwhile.
    this.#closed.add(connection.id);
  }

  /** Records in the registry which runners were heard since the last call. */
  async touch(): Promise<void> {
    const sinceMs = this.#lastTouchMs;
    this.#lastTouchMs = performance.now();
    const heard = [...this.#current.values()].filter((connection) => connection.lastHeardMs >= sinceMs);
    if (heard.length === 0) return;
    try {
      const inFlight = new Map(heard.flatMap(({ id, link }) => (link ? [[id, link.load] as const] : [])));
      await this.#options.registry.touch(
        heard.map(({ id }) => id),
        inFlight,
      );
    } catch (error) {
      this.#lastTouchMs = Math.min(this.#lastTouchMs, sinceMs);
      throw error;
    }
  }

  /**
   * Compares the connections here with the registry. Closes those that a newer one has replaced,
   * and registers again those that the registry does not have under this dispatcher. Others found
   * the dispatcher dead, or a newer connection came and left. A draining connection is skipped: its
   * runner was asked to connect elsewhere.
   */
  async reconcile(): Promise<void> {
    const dispatcherId = this.#options.dispatcherId();
    const ready = [...this.#current.values()].filter(({ phase }) => phase === 'ready');
    const open = ready.flatMap((connection) => openConnection(connection, dispatcherId));
    if (open.length === 0) return;
    const { replaced, forgotten } = await this.#options.registry.strayConnections(open);
    const stillReady = ready.filter(({ phase }) => phase === 'ready');
    for (const connection of stillReady) {
      if (replaced.has(connection.id)) connection.end(endCodes.replaced, replacedReason, replacedReason);
    }
    await this.#registerAgain(stillReady.filter(({ id }) => forgotten.has(id)));
  }

  /**
   * Resolves once the registry has recorded all closed connections, those included that are still
   * being registered, or after that time.
   */
  async idle(withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    await within(withinMs, Promise.allSettled(this.#registering));
    await this.#closed.idle(Math.max(0, deadlineMs - performance.now()));
  }

  async #registerFirst(connection: Connection, hello: Hello): Promise<RegisteredRunner> {
    const registering = this.#register(connection, hello, false);
    this.#registering.add(registering);
    try {
      return await registering;
    } catch (error) {
      // W2. A breach of the rules entered nothing. After any other error the outcome is unknown.
      if (!(error instanceof HoldfastError)) this.#closed.add(connection.id);
      throw error;
    } finally {
      this.#registering.delete(registering);
    }
  }

  /** The registry skips a connection that was replaced meanwhile. The next look closes it. */
  async #registerAgain(connections: readonly Connection[]): Promise<void> {
    const rest = connections.values();
    const work = async (): Promise<void> => {
      for (const connection of rest) await this.#registerOneAgain(connection);
    };
    await Promise.all(Array.from({ length: registrationsAtOnce }, work));
  }

  async #registerOneAgain(connection: Connection): Promise<void> {
    const { hello, link } = connection;
    if (!hello || !link) return;
    try {
      await this.#register(connection, hello, true);
      // W2. The connection ended meanwhile.
      if (this.#current.get(runnerKey(link)) !== connection) this.#closed.add(connection.id);
    } catch (error) {
      this.#options.log.warn({ err: error, connectionId: connection.id }, 'registering a runner again failed');
      connection.end(endCodes.restarting, restartingReason);
    }
  }

  #register(connection: Connection, { registration }: Hello, keepsDefinitions: boolean): Promise<RegisteredRunner> {
    const { id: connectionId, connectionNo, projectId } = connection;
    const isGivenUp = (): boolean => connection.isOver;
    return this.#options.registry.register({
      projectId,
      registration,
      connection: { dispatcherId: this.#options.dispatcherId(), connectionId, connectionNo },
      keepsDefinitions,
      isGivenUp,
    });
  }
}

/** The connection as the registry should have it; none once it has ended. */
function openConnection({ id, connectionNo, link }: Connection, dispatcherId: string): OpenConnection[] {
  if (!link) return [];
  const { projectId, app, runnerId } = link;
  return [{ connectionId: id, connectionNo, dispatcherId, projectId, app, runnerId }];
}

const registrationsAtOnce = 8;
