import type { EngineContext } from '../context.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import { newId } from '../ids.ts';
import { processTally } from '../tally/index.ts';
import { afterEndedLeases, held } from '../work/index.ts';
import { addDispatcher } from './sql/addDispatcher.ts';
import { beatDispatcher, lockDispatcher } from './sql/beatDispatcher.ts';
import { removeDispatcher } from './sql/removeDispatcher.ts';

/** How often a dispatcher renews its heartbeat, in ms. */
export const heartbeatMs = 2_500;

/**
 * The silence, in ms, after which other dispatchers free the runs of a dispatcher. One beat may be
 * lost, and recovery stays below 10 s.
 */
export const silenceMs = 6_000;

/**
 * The longest time between two beats of a dispatcher that is no gap, in ms. A shorter stop of the
 * database cannot alone silence another dispatcher, even if that one was about to beat.
 */
export const gapMs = silenceMs - heartbeatMs;

/**
 * How long a dispatcher beats without a gap before it finds others dead, in ms. After an outage of
 * the database all dispatchers have beaten again by then, even if one beat was lost.
 */
export const judgeGraceMs = 4_500;

/** Registers a dispatcher anew; answers its id, under which it leases runs. */
export async function registerDispatcher(ctx: EngineContext): Promise<string> {
  const id = newId();
  await addDispatcher(ctx.db, { id, now: ctx.clock.sql() });
  return id;
}

/**
 * Renews the heartbeat and frees the runs of dead dispatchers. `alive: false`: this dispatcher was
 * found dead itself. Its leases have ended, its late commits change nothing, and it must register
 * anew. A silent connection does not delay the heartbeat (`urgent`).
 */
export async function tickDispatcher(ctx: EngineContext, id: string): Promise<{ alive: boolean }> {
  const [row] = await beatDispatcher(ctx.db.urgent ?? ctx.db, {
    id,
    silenceMs,
    gapMs,
    judgeGraceMs,
    now: ctx.clock.sql(),
  });
  if (!row) throw new Error('a heartbeat was not answered');
  if (row.dead > 0) {
    ctx.log.warn({ dead: row.dead, lanes: row.freedLanes.length }, 'found dispatchers dead: freed their runs');
  }
  if (row.freedLanes.length > 0) ctx.bus.emit('work.ready', { laneIds: row.freedLanes });
  openGatesSoon(ctx, { slots: row.freedSlots, projectIds: row.freedProjects });
  if (!row.alive) processTally(ctx).leasesLost.takeover += held(ctx).size;
  return { alive: row.alive };
}

/**
 * Removes a dispatcher that stops. Runs that it still leases return to the queue at once, also
 * those of a lease that is being written. If this fails, others find the dispatcher dead later.
 */
export async function retireDispatcher(ctx: EngineContext, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockDispatcher(tx, { id });
    const freed = await removeDispatcher(tx, { id, now: ctx.clock.sql() });
    tx.afterCommit(() => afterEndedLeases(ctx, freed));
  });
}
