/**
 * Which of the connections of this process stand for a runner.
 *
 * Owns: the one that stands for each runner, and what the registry is told of it.
 * Does not own: the life of one socket (Connection), which of them exist (Gateway).
 *
 * Invariants W1. Of the connections of one {app, runner} here only the newest stands for the
 * runner; the one before is ended when it opens. One whose runner is closing stands for nobody: it
 * answers what it has beside whoever came after it. W2. A runner that is gone is told to the
 * registry until it has heard it; so is one of which nobody knows whether it was entered. W3.
 * Definitions come into force when a runner says them. A runner that is entered anew later has said
 * nothing since, and others may have replaced them. W4. Who is entered anew takes no place that
 * another connection has taken since: only a hello does. W5. What the registry says of a place may
 * pass: a hello that was given up is entered late, and taken back. A runner that is told it was
 * replaced stays away, so it is told only what holds for a while.
 */
import type { Logger } from 'pino';
import { HoldfastError } from '../../../engine/errors.ts';
import type { OpenConnection } from '../../../engine/routing/index.ts';
import { inTurns } from '../inTurns.ts';
import { Outbox } from '../outbox.ts';
import { runnerKey } from '../routing/runnerLink.ts';
import type { RegisteredRunner, RunnerRegistry } from '../runners.ts';
import { within } from '../within.ts';
import { endCodes, replacedReason, restartingReason } from './closing.ts';
import type { Connection } from './connection.ts';
import type { Hello } from './messages/hello.ts';
import { SocketLink } from './socketLink.ts';

export interface RosterOptions {
  registry: RunnerRegistry;
  log: Logger;
  dispatcherId: () => string;
  /** For how long another must have had a runner's place before the socket here is closed. */
  doubtMs: number;
}

export class Roster {
  readonly #options: RosterOptions;
  readonly #current = new Map<string, Connection>();
  /** Of connections that are gone, by id. */
  readonly #goodbyes: Outbox<string>;
  readonly #entering = new Set<Promise<RegisteredRunner>>();
  /** The id of this dispatcher under which a connection was entered last. */
  readonly #enteredUnder = new WeakMap<Connection, string>();
  /** Connections whose place another has, and since when that is known. */
  #doubted = new Map<Connection, number>();
  #lastTouchMs = Number.NEGATIVE_INFINITY;

  constructor(options: RosterOptions) {
    this.#options = options;
    const { log, registry } = options;
    this.#goodbyes = new Outbox({ name: 'disconnecting runners', send: (ids) => registry.disconnect(ids), log });
  }

  /** Runners that a connection stands for. */
  get size(): number {
    return this.#current.size;
  }

  /** Enters a runner that said hello; from `stand` on its connection stands for it. */
  async enter(connection: Connection, hello: Hello): Promise<SocketLink> {
    const { app, runnerId, workflows } = await this.#enterFirst(connection, hello);
    const { maxInFlight } = hello;
    const { projectId } = connection;
    return new SocketLink({ connection, projectId, app, runnerId, maxInFlight, workflows: new Set(workflows) });
  }

  /**
   * From now on this connection stands for its runner. Answers with the one before. What was
   * entered under an id that this dispatcher has given up since, nobody beats for: those who stood
   * here by then are entered anew for all, and this one now.
   */
  stand(connection: Connection, link: SocketLink): Connection | undefined {
    const key = runnerKey(link);
    const before = this.#current.get(key);
    this.#current.set(key, connection);
    if (this.#enteredUnder.get(connection) !== this.#options.dispatcherId()) void this.#enterAnew([connection]);
    return before;
  }

  /**
   * The connection stands for its runner no more. The registry hears it again at the end: it may
   * have been entered meanwhile.
   */
  stepDown(connection: Connection, link: SocketLink): void {
    const key = runnerKey(link);
    if (this.#current.get(key) === connection) this.#current.delete(key);
    this.#goodbyes.add(connection.id);
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
   * Ends connections whose runner has connected elsewhere since, and enters those anew for whose
   * runner nobody stands: others found this dispatcher silent, or a connection that was given up
   * was entered late. One that was told to drain has connected elsewhere as it should, and still
   * finishes what it has here. Resolves with whether there is doubt about any: then look again
   * soon.
   */
  async dropReplaced(): Promise<boolean> {
    const beforeMs = performance.now();
    const open = [...this.#current.values()].flatMap(standingOf);
    if (open.length === 0) return false;
    const { replaced, forgotten } = await this.#options.registry.strayConnections(open);
    const before = [...this.#current.values()].filter(
      ({ phase, phaseSinceMs }) => phase === 'ready' && phaseSinceMs < beforeMs,
    );
    const isInDoubt = this.#endReplaced(
      before.filter((connection) => replaced.has(connection.id)),
      beforeMs,
    );
    await this.#enterAnew(before.filter((connection) => forgotten.has(connection.id)));
    return isInDoubt;
  }

  /** Enters all runners anew, under the new id of this dispatcher. */
  async registerAgain(): Promise<void> {
    await this.#enterAnew([...this.#current.values()]);
  }

  /**
   * Resolves once the registry has heard of all that are gone, those too that are being entered
   * yet, or after that time.
   */
  async told(withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    await within(withinMs, Promise.allSettled(this.#entering));
    await this.#goodbyes.idle(Math.max(0, deadlineMs - performance.now()));
  }

  async #enterFirst(connection: Connection, hello: Hello): Promise<RegisteredRunner> {
    const entering = this.#enter(connection, hello, false);
    this.#entering.add(entering);
    try {
      return await entering;
    } catch (error) {
      // What the registry refuses it has not entered; of anything else it may have.
      if (!(error instanceof HoldfastError)) this.#goodbyes.add(connection.id);
      throw error;
    } finally {
      this.#entering.delete(entering);
    }
  }

  /** Ends those that were known to be replaced long enough before this look began. */
  #endReplaced(replaced: readonly Connection[], lookedAtMs: number): boolean {
    const known = this.#doubted;
    const nowMs = performance.now();
    this.#doubted = new Map(replaced.map((connection) => [connection, known.get(connection) ?? nowMs]));
    for (const [connection, sinceMs] of this.#doubted) {
      if (lookedAtMs - sinceMs < this.#options.doubtMs) continue;
      this.#doubted.delete(connection);
      connection.end(endCodes.replaced, replacedReason, replacedReason);
    }
    return this.#doubted.size > 0;
  }

  /**
   * A runner for whom that fails is sent away; one that went meanwhile is entered no more, or taken
   * back. One that has connected elsewhere is left there by the registry: its socket here is found
   * to be replaced.
   */
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

  #enter(connection: Connection, { registration }: Hello, isReturn: boolean): Promise<RegisteredRunner> {
    const { id: connectionId, projectId } = connection;
    const dispatcherId = this.#options.dispatcherId();
    this.#enteredUnder.set(connection, dispatcherId);
    const isGivenUp = (): boolean => connection.isOver;
    return this.#options.registry.register({
      projectId,
      registration,
      connection: { dispatcherId, connectionId },
      isReturn,
      isGivenUp,
    });
  }
}

/** The runner that a connection stands for; none once it is over. */
function standingOf({ id, link }: Connection): OpenConnection[] {
  if (!link) return [];
  const { projectId, app, runnerId } = link;
  return [{ connectionId: id, projectId, app, runnerId }];
}

const registrationsAtOnce = 8;
