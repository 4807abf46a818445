import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import type { Queryable, Transaction } from '../db/index.ts';
import { notFound } from '../errors.ts';
import type { Definition } from '../model/index.ts';
import { perEngine } from '../perEngine.ts';
import { type NextFires, replaceDefinitions, unregistered, wakeServed } from '../registry/index.ts';
import { retireDropped, type WorkflowRef } from './retirement.ts';
import { addApps } from './sql/addApps.ts';
import { beginRegistration } from './sql/beginRegistration.ts';
import { bumpRegistry } from './sql/bumpRegistry.ts';
import { findStrayConnections } from './sql/findStrayConnections.ts';
import { pruneAnonymousRunners } from './sql/pruneAnonymousRunners.ts';
import { putRunners, type RunnerEntry } from './sql/putRunners.ts';

/*
 * Owns: the transaction that enters runners and their definitions.
 * Does not own: the rules of a registration's fields, sockets, secrets.
 *
 * R1. Registrations of one project run one after the other, under an advisory lock, so the last one
 *     wins as a whole.
 * R2. Locks are taken in this order: advisory, apps, workflows, schedules, policies and the starts
 *     that they delay, runners, project. Each set is locked by key.
 * R3. Registrations that wait during a transaction share the next one. So two thousand runners that
 *     reconnect at once cost a few dozen transactions, and as many new versions of the project.
 * R4. The project's version grows if and only if routing or matching could change by it.
 * R5. A runner with an open connection is replaced only by a higher connection number. A connection
 *     that is refused, or that has ended, changes nothing, not even definitions.
 * R6. A workflow that no runner of the batch serves is judged after all of them were entered.
 */

/** An open socket of a runner. */
export interface RunnerConnection {
  dispatcherId: string;
  /** Unique to the socket. */
  connectionId: string;
  /** From `nextConnectionNo`. */
  connectionNo: number;
}

export interface RegistrationItem {
  projectId: string;
  definitions: readonly Definition[];
  nextFires: NextFires;
  runner: RunnerEntry;
  /** Definitions in force stay; only workflows that are not registered at all are added. */
  keepsDefinitions: boolean;
  /** Called within the transaction: whether the socket has ended, so that nothing is entered. */
  isGivenUp: () => boolean;
}

const batcherOf = perEngine((ctx) => {
  // R3. The lock admits one transaction of a project at a time anyway (R1).
  const limits = { maxItems: 100, maxInFlight: 1, maxQueued: 20_000 };
  return new Batcher({ flush: (items: RegistrationItem[]) => enterAll(ctx, items), ...limits });
});

/** Enters a runner. Resolves once that is committed; false if the runner was not entered (R5). */
export function enterRunner(ctx: EngineContext, item: RegistrationItem): Promise<boolean> {
  return batcherOf(ctx).add(item);
}

async function enterAll(ctx: EngineContext, items: readonly RegistrationItem[]): Promise<boolean[]> {
  const entered = new Set<RegistrationItem>();
  for (const round of roundsOf(items)) {
    const done = await ctx.db.transaction((tx) => enterWithin(ctx, tx, round));
    for (const item of done) entered.add(item);
  }
  return items.map((item) => entered.has(item));
}

/**
 * Splits a batch so that each part belongs to one project and names no runner twice: the later
 * registration then replaces the earlier.
 */
function roundsOf(items: readonly RegistrationItem[]): RegistrationItem[][] {
  const rounds = new Map<string, RegistrationItem[]>();
  const seen = new Map<string, number>();
  for (const item of items) {
    const key = `${item.projectId}\n${keyOf(item)}`;
    const turn = seen.get(key) ?? 0;
    seen.set(key, turn + 1);
    const name = `${item.projectId} ${turn}`;
    const round = rounds.get(name);
    if (round) round.push(item);
    else rounds.set(name, [item]);
  }
  return [...rounds.values()];
}

const keyOf = ({ runner }: RegistrationItem): string => `${runner.app}\n${runner.runnerId}`;

/** Enters runners of one project; answers the items that were entered. */
async function enterWithin(
  ctx: EngineContext,
  tx: Transaction,
  waiting: readonly RegistrationItem[],
): Promise<readonly RegistrationItem[]> {
  const projectId = waiting[0]?.projectId ?? '';
  const [begun] = await beginRegistration(tx, { projectId, now: ctx.clock.sql() });
  if (!begun) throw new Error('no time');
  const { now } = begun;
  const items = await admissible(tx, waiting);
  if (items.length === 0) return items;
  const apps = [...new Set(items.map((item) => item.runner.app))];
  const newApps = await addApps(tx, { projectId, names: apps, at: now });
  // Replicas serve the same workflows.
  const workflows = [...new Map(items.flatMap(nameAll)).values()];
  const served = await wakeServed(tx, { projectId, workflows, now });
  const definitions = await definitionsOf(tx, projectId, items);
  const nextFires = new Map(items.flatMap((item) => [...item.nextFires]));
  const replaced = await replaceDefinitions(tx, { projectId, definitions, now, nextFires });
  const runners = items.map(({ runner }) => runner);
  const rows = await putRunners(tx, { projectId, runners, at: now, livenessMs: ctx.settings.runnerLivenessMs });
  if (runners.some(isAnonymous)) await pruneAnonymousRunners(tx, { projectId, apps, at: now });
  // R6
  const dropped = rows.flatMap(({ app, dropped: names }) => names.map((name) => ({ app, name })));
  const retired = await retireDropped(ctx, tx, { projectId, workflows: dropped });
  // R4. A runner that dropped a workflow has changed.
  const isChanged =
    newApps.length > 0 || served.hasWoken || replaced.count > 0 || rows.some((row) => row.changesRouting);
  if (isChanged && (await bumpRegistry(tx, { projectId })).length === 0) throw notFound('project not found');
  const { nextDueInMs } = replaced;
  tx.afterCommit(() => {
    if (isChanged) ctx.bus.emit('registry.changed', { projectId });
    const dueInMs = served.hasWoken ? 0 : nextDueInMs;
    if (dueInMs !== undefined) ctx.bus.emit('work.due', { inMs: dueInMs });
    announce(ctx, projectId, { retired, asleep: served.asleep });
  });
  return items;
}

function announce(
  { log }: EngineContext,
  projectId: string,
  { retired, asleep }: { retired: readonly WorkflowRef[]; asleep: readonly WorkflowRef[] },
): void {
  for (const { app, name: workflow } of retired)
    log.info({ projectId, app, workflow }, 'workflow retired: its runner registered without it');
  for (const { app, name: workflow } of asleep)
    log.warn({ projectId, app, workflow }, 'registered workflow stays retired: it was retired by hand');
}

/** R5. Omits connections that have ended, and connections that a newer one has displaced. */
async function admissible(tx: Queryable, waiting: readonly RegistrationItem[]): Promise<RegistrationItem[]> {
  const items = waiting.filter((item) => !item.isGivenUp());
  const connections = items.map(({ projectId, runner }) => ({ ...runner, projectId }));
  const strays = connections.length > 0 ? await findStrayConnections(tx, { connections }) : [];
  const refused = new Set(strays.flatMap(({ connectionId, isHeld }) => (isHeld ? connectionId : [])));
  return items.filter(({ runner }) => !refused.has(runner.connectionId));
}

/** The definitions to put in force. The last of a workflow counts, so kept ones come first. */
async function definitionsOf(
  tx: Queryable,
  projectId: string,
  items: readonly RegistrationItem[],
): Promise<Definition[]> {
  const given = (isKept: boolean): Definition[] =>
    items.flatMap((item) => (item.keepsDefinitions === isKept ? item.definitions : []));
  return [...(await unregistered(tx, { projectId, definitions: given(true) })), ...given(false)];
}

const nameAll = ({ definitions }: RegistrationItem): [string, WorkflowRef][] =>
  definitions.map(({ app, name }) => [`${app}\n${name}`, { app, name }]);

const isAnonymous = ({ transport, runnerId, url }: RunnerEntry): boolean => transport === 'connect' && runnerId === url;
