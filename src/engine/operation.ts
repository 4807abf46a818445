// Shares a process between the callers of all projects.
//
// Owns: the share of callers: turns of the event loop, connections, slow reads.
// Does not own: duties of the service. Look-ups of keys, dispatchers, schedulers, heartbeats and
// batched writes use the engine itself, and wait for no caller.
import { BoundedCache } from './boundedCache.ts';
import type { EngineContext } from './context.ts';
import type { Database } from './db/index.ts';
import { createLongReadTurns } from './longRead.ts';
import { LoopTurns } from './loopTurns.ts';
import type { CallOrigin, Once } from './origin.ts';
import { perEngine } from './perEngine.ts';
import type { EngineSettings } from './settings.ts';
import { type Drop, type Turn, Turns } from './turns.ts';

/** The turns of callers, each shared between projects. */
export interface CallerTurns {
  /** Operations that are executed. */
  operations: Turns;
  /** Connections that statements and transactions of operations use. */
  connections: Turns;
  longReads: Turns;
  /** The work of operations between two statements. */
  loop: LoopTurns;
}

/** Statements of one project that wait for a connection. One operation may send thousands. */
const maxStatements = 10_000;

/** How long a statement waits for a connection, in ms: as long as the pool lets one wait. */
const connectionWaitMs = 10_000;

export const createCallerTurns = (
  pool: { max: number },
  { limits, answerWaitMs }: Pick<EngineSettings, 'limits' | 'answerWaitMs'>,
): CallerTurns => ({
  operations: new Turns({
    atOnce: limits.operationsAtOnce,
    maxWaiting: limits.operationsQueued,
    waitMs: answerWaitMs,
    refusal: 'too many requests of the project are in progress: retry',
    perFree: 1,
  }),
  connections: new Turns({
    atOnce: pool.max - reservedOf(pool.max),
    maxWaiting: maxStatements,
    waitMs: connectionWaitMs,
    refusal: 'no database connection is free: retry',
    perFree: 2,
  }),
  longReads: createLongReadTurns(pool, answerWaitMs),
  loop: new LoopTurns(),
});

/** The connections that callers never use. */
const reservedOf = (max: number): number => Math.min(max - 1, Math.ceil(max / 5));

/**
 * An operation of a caller: a GraphQL or REST document, or an event of a subscription. `engine` is
 * the engine for it: its statements use the connections that callers share.
 */
export class Operation {
  readonly engine: EngineContext;
  readonly #root: EngineContext;
  readonly #project: string;
  #turn: Turn | undefined;
  #drop: Drop | undefined;

  /** Operators that name no project share a turn. */
  constructor(root: EngineContext, projectId: string | undefined, origin?: CallOrigin) {
    this.#root = root;
    this.#project = projectId ?? '';
    this.engine = engineOf(root, {
      origin,
      db: onceWithin(databaseOf(root, this.#project), origin?.once),
      longReads: { take: (read) => this.#takeLongRead(read), join: (read) => this.whileIdle(read) },
    });
  }

  /** Runs `work` at the project's turn. Throws `busy` if the work is not begun: see `Turns`. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const { loop, operations } = this.#root.turns;
    const begin = async (turn: Turn): Promise<T> => {
      this.#turn = turn;
      const iteration = loop.next(this.#project);
      if (iteration) await iteration;
      return work();
    };
    return operations.take(this.#project, begin, (drop) => {
      this.#drop = drop;
    });
  }

  /** The caller has gone: an operation that waits for its turn is not executed. */
  drop(): void {
    this.#drop?.();
  }

  /**
   * Waits for something else than this process: the end of a run, a slow read. Meanwhile the turn
   * is free.
   */
  whileIdle<T>(wait: () => Promise<T>): Promise<T> {
    return this.#turn ? this.#turn.lend(wait) : wait();
  }

  #takeLongRead<T>(read: () => Promise<T>): Promise<T> {
    return this.whileIdle(() => this.#root.turns.longReads.take(this.#project, read));
  }
}

/** Every call makes one, so it is a literal: a spread costs ten times as much. */
const engineOf = (
  root: EngineContext,
  { db, longReads, origin }: Pick<EngineContext, 'db' | 'longReads' | 'origin'>,
): EngineContext => ({
  root,
  db,
  origin,
  longReads,
  clock: root.clock,
  bus: root.bus,
  log: root.log,
  settings: root.settings,
  registry: root.registry,
  lanes: root.lanes,
  payloadRoom: root.payloadRoom,
  turns: root.turns,
  slices: root.slices,
});

/** The same database, with a claim in its first transaction. A write outside of one has none. */
const onceWithin = (db: Database, once: Once | undefined): Database =>
  once ? { ...db, transaction: (work) => db.transaction((tx) => once.within(tx, work)) } : db;

/** Projects whose databases are remembered. They hold no state, and any may be made again. */
const rememberedProjects = 1_000;

const databasesOf = perEngine(() => new BoundedCache<string, Database>(rememberedProjects));

/** The database for the operations of a project. */
function databaseOf(root: EngineContext, project: string): Database {
  const databases = databasesOf(root);
  const known = databases.get(project);
  if (known) return known;
  const made = createDatabase(root, project);
  databases.set(project, made);
  return made;
}

/** Asks the engine's database anew for each statement, as tests replace its functions. */
function createDatabase(root: EngineContext, project: string): Database {
  const { connections, loop } = root.turns;
  const connected = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await connections.take(project, work);
    const iteration = loop.next(project);
    if (iteration) await iteration;
    return result;
  };
  return {
    ...root.db,
    // The engine uses only those overloads of the driver that return a promise.
    query: ((...args: unknown[]) => connected(() => Reflect.apply(root.db.query, root.db, args))) as Database['query'],
    transaction: (work) => connected(() => root.db.transaction(work)),
    reading: (read) => connected(() => root.db.reading(read)),
  };
}
