import type { FlowControl } from '@holdfast/sdk/protocol';
import { Bus } from '../bus.ts';
import { ManualClock } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import type { Database, Transaction } from '../db/index.ts';
import { addDispatcher } from '../dispatchers/index.ts';
import { newId } from '../ids.ts';
import { createLanes } from '../lanes/index.ts';
import type { Definition, ProjectSnapshot } from '../model/index.ts';
import { insertProject } from '../projects/index.ts';
import { createRegistry, defaultRetry, replaceDefinitions } from '../registry/index.ts';

/** A project that exists only inside a transaction, with one workflow and one dispatcher. */
export interface Scratch {
  /** An engine whose statements run in the transaction, at the instant of `clock`. */
  ctx: EngineContext;
  tx: Transaction;
  clock: ManualClock;
  snapshot: ProjectSnapshot;
  definition: Definition;
  dispatcherId: string;
  /** The lane of all its runs. */
  laneId: number;
}

/**
 * Makes the project. Its app and its workflow have names of their own, so no lock that a name
 * decides is one of a real workflow.
 */
export async function makeScratch(
  engine: EngineContext,
  tx: Transaction,
  { at, flowControl, ceiling }: { at: Date; flowControl: FlowControl; ceiling: number },
): Promise<Scratch> {
  const [projectId, dispatcherId] = [newId(), newId()];
  const clock = new ManualClock(at);
  const bus = new Bus();
  const own = within(tx);
  const registry = createRegistry({ db: own, bus, settings: engine.settings });
  const ctx: EngineContext = {
    ...engine,
    root: undefined,
    origin: undefined,
    db: own,
    clock,
    bus,
    registry,
    lanes: createLanes(own),
    // Its faults end the call, which logs them.
    log: engine.log.child({}, { level: 'silent' }),
  };
  await insertProject(own, { id: projectId, name: projectId, concurrencyCeiling: ceiling });
  const definition: Definition = {
    app: projectId,
    name: projectId,
    version: projectId,
    retry: defaultRetry,
    onFailure: false,
    triggers: undefined,
    flowControl,
    steps: undefined,
    maxDurationMs: undefined,
    cancelOn: undefined,
  };
  await replaceDefinitions(own, { projectId, definitions: [definition], now: at, nextFires: new Map() });
  await addDispatcher(own, { id: dispatcherId, now: at });
  const [laneId] = await ctx.lanes.ensure([{ projectId, app: projectId, workflow: projectId, runner: '' }]);
  if (laneId === undefined) throw new Error('a lane was not created');
  return {
    ctx,
    tx: own,
    clock,
    snapshot: await registry.snapshotWithin(own, projectId),
    definition,
    dispatcherId,
    laneId,
  };
}

/**
 * The transaction as a database. Its effects are dropped, because nothing is committed. A trip of
 * several statements would commit, so it is refused.
 */
function within(tx: Transaction): Database {
  const query = (asked: object, ...more: unknown[]): unknown => {
    if ('parts' in asked) throw new Error('a simulation sends one statement at a time');
    return Reflect.apply(tx.query, tx, [asked, ...more]);
  };
  const database: Omit<Database, 'pool' | 'prisma'> = {
    query: query as Database['query'],
    transaction: (work) => work(database as Database),
    reading: (read) => read(),
    afterCommit: () => undefined,
    close: () => Promise.resolve(),
  };
  return database as Database;
}
