import type { EngineContext } from '../context.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import { newId } from '../ids.ts';
import { afterEndedLeases } from '../work/index.ts';
import { addDispatcher } from './sql/addDispatcher.ts';
import { beatDispatcher, lockDispatcher } from './sql/beatDispatcher.ts';
import { removeDispatcher } from './sql/removeDispatcher.ts';

/** How often a dispatcher renews its heartbeat, in ms. */
export const heartbeatMs = 2_500;

/**
 * After this silence its runs are given to others. One beat may be lost, and recovery stays below
 * 10 s.
 */
export const silenceMs = 6_000;

/**
 * More time between two beats of its own is a gap, in ms. What kept a dispatcher from beating for
 * less cannot by itself have made another silent, whose last beat was due just then.
 */
export const gapMs = silenceMs - heartbeatMs;

/**
 * For so long a dispatcher beats without a gap before it finds others dead, in ms. After an outage
 * of the database all have beaten again by then, also where a beat was lost.
 */
export const patienceMs = 4_500;

/** Registers a new incarnation of a dispatcher and answers its id, under which runs are leased. */
export async function registerDispatcher(ctx: EngineContext): Promise<string> {
  const id = newId();
  await addDispatcher(ctx.db, { id, now: ctx.clock.sql() });
  return id;
}

/**
 * Renews the heartbeat and frees what dead dispatchers held. `alive: false`: this one was found
 * dead itself; its leases are gone, its late commits change nothing, and it must register anew. One
 * connection that is silent does not hold it up.
 */
export async function tickDispatcher(ctx: EngineContext, id: string): Promise<{ alive: boolean }> {
  const [row] = await beatDispatcher(ctx.db.urgent ?? ctx.db, {
    id,
    silenceMs,
    gapMs,
    patienceMs,
    now: ctx.clock.sql(),
  });
  if (!row) throw new Error('a heartbeat was not answered');
  if (row.dead > 0)
    ctx.log.warn({ dead: row.dead, lanes: row.freedLanes.length }, 'freed the runs of silent dispatchers');
  if (row.freedLanes.length > 0) ctx.bus.emit('work.ready', { laneIds: row.freedLanes });
  openGatesSoon(ctx, { slots: row.freedSlots, projectIds: row.freedProjects });
  return { alive: row.alive };
}

/**
 * Takes leave in order: what is still leased goes back to the queue at once, a lease that is being
 * written included. Where that does not come to its end, the dispatcher stays registered: others
 * find it silent.
 */
export async function retireDispatcher(ctx: EngineContext, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockDispatcher(tx, { id });
    const freed = await removeDispatcher(tx, { id, now: ctx.clock.sql() });
    tx.afterCommit(() => afterEndedLeases(ctx, freed));
  });
}
