import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import type { Queryable, Transaction } from '../db/index.ts';
import { notFound } from '../errors.ts';
import type { Definition } from '../model/index.ts';
import { perEngine } from '../perEngine.ts';
import { replaceDefinitions, unregistered } from '../registry/index.ts';
import { addApps } from './sql/addApps.ts';
import { beginRegistration } from './sql/beginRegistration.ts';
import { bumpRegistry } from './sql/bumpRegistry.ts';
import { pruneAnonymousRunners } from './sql/pruneAnonymousRunners.ts';
import { type PutRunnerRow, putRunners, type RunnerEntry } from './sql/putRunners.ts';

/*
 * Owns: the transaction that enters runners and their definitions.
 * Does not own: what a registration may say, sockets, secrets.
 *
 * 1. Registrations of one project run one after the other, under an advisory lock, so the last one
 *    wins as a whole.
 * 2. Locks are taken in this order: advisory, apps, workflows, schedules, policies and what they
 *    hold back, runners, project; each set by key.
 * 3. What waits while a transaction runs goes together in the next: two thousand runners that come
 *    back at once cost a few dozen transactions, and as many new versions of the project.
 * 4. The project's version grows if and only if routing or matching could change by it.
 */

/** An open socket of a runner. */
export interface RunnerConnection {
  dispatcherId: string;
  /** Unique to the socket. */
  connectionId: string;
}

export interface RegistrationItem {
  projectId: string;
  definitions: readonly Definition[];
  runner: RunnerEntry;
  /**
   * Connection and definitions are of before: who has the runner's place by now keeps it, and what
   * is registered stays in force.
   */
  isReturn: boolean;
  /** Nobody waits for it any more: it is not entered, nor its definitions. */
  isGivenUp: () => boolean;
}

export interface EnteredRunner {
  /** False where another connection kept the place, or it was given up. */
  isEntered: boolean;
  replaced: RunnerConnection | undefined;
}

/**
 * One flush at a time: a connection that was given up must not be entered after the one that the
 * runner made instead.
 */
const batcherOf = perEngine((ctx) => {
  const limits = { maxItems: 100, maxInFlight: 1, maxQueued: 20_000 };
  return new Batcher({ flush: (items: RegistrationItem[]) => enterAll(ctx, items), ...limits });
});

/** Enters a runner. Resolves once that is committed. */
export function enterRunner(ctx: EngineContext, item: RegistrationItem): Promise<EnteredRunner> {
  return batcherOf(ctx).add(item);
}

async function enterAll(ctx: EngineContext, items: readonly RegistrationItem[]): Promise<EnteredRunner[]> {
  const entered = new Map<RegistrationItem, EnteredRunner>();
  for (const round of roundsOf(items)) {
    const [first] = round;
    if (!first) continue;
    const rows = await enterRound(ctx, first.projectId, round);
    for (const item of round) entered.set(item, enteredOf(rows.get(keyOf(item))));
  }
  return items.map((item) => entered.get(item) ?? enteredOf(undefined));
}

/**
 * Splits a batch so that each part is of one project and names no runner twice: the later then
 * replaces the earlier.
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

function enteredOf(row: PutRunnerRow | undefined): EnteredRunner {
  const { isEntered = false, replacedDispatcherId: dispatcherId, replacedConnectionId: connectionId } = row ?? {};
  return { isEntered, replaced: dispatcherId && connectionId ? { dispatcherId, connectionId } : undefined };
}

async function enterRound(
  ctx: EngineContext,
  projectId: string,
  items: readonly RegistrationItem[],
): Promise<Map<string, PutRunnerRow>> {
  const rows = await ctx.db.transaction((tx) => enterWithin(ctx, tx, { projectId, waiting: items }));
  return new Map(rows.map((row) => [`${row.app}\n${row.runnerId}`, row]));
}

async function enterWithin(
  ctx: EngineContext,
  tx: Transaction,
  { projectId, waiting }: { projectId: string; waiting: readonly RegistrationItem[] },
): Promise<PutRunnerRow[]> {
  const [begun] = await beginRegistration(tx, { projectId, now: ctx.clock.sql() });
  if (!begun) throw new Error('no time');
  const { now } = begun;
  // Whoever gave up may have gone elsewhere while this waited: it must not take the place of that.
  const items = waiting.filter((item) => !item.isGivenUp());
  if (items.length === 0) return [];
  const apps = [...new Set(items.map((item) => item.runner.app))];
  const newApps = await addApps(tx, { projectId, names: apps, at: now });
  const definitions = await definitionsOf(tx, projectId, items);
  const replaced = await replaceDefinitions(tx, { projectId, definitions, now });
  const runners = items.map(({ isReturn, runner }) => ({ ...runner, isReturn }));
  const rows = await putRunners(tx, { projectId, runners, at: now, livenessMs: ctx.settings.runnerLivenessMs });
  if (runners.some(isAnonymous)) await pruneAnonymousRunners(tx, { projectId, apps, at: now });
  const isNews = newApps.length > 0 || replaced.count > 0 || rows.some((row) => row.isNews);
  if (isNews && (await bumpRegistry(tx, { projectId })).length === 0) throw notFound('project not found');
  const { nextDueInMs } = replaced;
  tx.afterCommit(() => {
    if (isNews) ctx.bus.emit('registry.changed', { projectId });
    if (nextDueInMs !== undefined) ctx.bus.emit('work.due', { inMs: nextDueInMs });
  });
  return rows;
}

/** What is to be in force. Of one workflow the last counts: those of before come first. */
async function definitionsOf(
  tx: Queryable,
  projectId: string,
  items: readonly RegistrationItem[],
): Promise<Definition[]> {
  const given = (isReturn: boolean): Definition[] =>
    items.flatMap((item) => (item.isReturn === isReturn ? item.definitions : []));
  return [...(await unregistered(tx, { projectId, definitions: given(true) })), ...given(false)];
}

const isAnonymous = ({ transport, runnerId, url }: RunnerEntry): boolean => transport === 'connect' && runnerId === url;
