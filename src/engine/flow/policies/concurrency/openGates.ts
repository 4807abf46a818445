import { Batcher } from '../../../batcher.ts';
import type { EngineContext } from '../../../context.ts';
import { perEngine } from '../../../perEngine.ts';
import { gatedProjects } from './sql/gatedProjects.ts';
import { gatedSlots } from './sql/gatedSlots.ts';
import { openCeilings } from './sql/openCeilings.ts';
import { openSlots } from './sql/openSlots.ts';

/** Where room may have been made, or is to be looked for. */
export interface Gateways {
  slots: readonly string[];
  projectIds: readonly string[];
}

/** How long after something was set aside, in ms, a sweep looks whether it was forgotten. */
export const sweepAfterMs = 2_000;

/** Runs of one slot or project that a statement lets go on. */
const page = 1_000;

/** One flush at a time: what is asked for meanwhile is answered together, and once. */
const batcherOf = perEngine((ctx) => {
  const limits = { maxItems: 500, maxInFlight: 1, maxQueued: 100_000 };
  return new Batcher({ flush: (all: Gateways[]) => flush(ctx, all), ...limits });
});

/**
 * Lets runs go on that wait for a slot, or for room under their project's ceiling, as many as there
 * is room for now, in order; answers how many. They become ready where they stand in line, and the
 * claim has the last word. Call it after the commit that made room, and after the one that set a
 * run aside: whichever comes last sees both.
 */
export function openGates(ctx: EngineContext, gateways: Gateways): Promise<number> {
  if (gateways.slots.length + gateways.projectIds.length === 0) return Promise.resolve(0);
  return batcherOf(ctx).add(gateways);
}

/** The same without waiting for it: what fails is found by the sweep. */
export function openGatesSoon(ctx: EngineContext, gateways: Gateways): void {
  if (gateways.slots.length + gateways.projectIds.length === 0) return;
  openGates(ctx, gateways).catch((error: unknown) => {
    ctx.log.warn({ error, slots: gateways.slots.length }, 'runs that wait for a slot are let in later');
  });
}

async function flush(ctx: EngineContext, all: readonly Gateways[]): Promise<number[]> {
  const slots = [...new Set(all.flatMap((each) => each.slots))];
  const projectIds = [...new Set(all.flatMap((each) => each.projectIds))];
  let opened = 0;
  if (slots.length > 0) opened += await inPages(ctx, () => openSlots(ctx.db, { slots, page }));
  if (projectIds.length > 0) opened += await inPages(ctx, () => openCeilings(ctx.db, { projectIds, page }));
  return all.map(() => opened);
}

async function inPages(ctx: EngineContext, open: () => Promise<{ laneId: number }[]>): Promise<number> {
  let opened = 0;
  for (;;) {
    const rows = await open();
    opened += rows.length;
    if (rows.length > 0) ctx.bus.emit('work.ready', { laneIds: [...new Set(rows.map((row) => row.laneId))] });
    if (rows.length < page) return opened;
  }
}

/** Before the first slot. */
export const sweepStart = '-9223372036854775808';

const slotsPerTurn = 500;
const maxProjects = 10_000;

export interface Swept {
  /** Runs that were let go on. */
  opened: number;
  /** Whether nobody waits any more. */
  isIdle: boolean;
  /** Where the next turn goes on; undefined once the last slot has been looked at. */
  next: string | undefined;
}

/**
 * Looks for runs that wait although there is room: those whose wake-up died with a process, whose
 * promised place was given up, whose limit was raised or taken away. One turn looks at some of the
 * slots, from `after` on.
 */
export async function sweepGates(ctx: EngineContext, after: string = sweepStart): Promise<Swept> {
  const slots = (await gatedSlots(ctx.db, { after, limit: slotsPerTurn })).map((row) => row.slot);
  const projects = after === sweepStart ? await gatedProjects(ctx.db, { limit: maxProjects }) : [];
  const projectIds = projects.map((row) => row.projectId);
  const opened = await openGates(ctx, { slots, projectIds });
  return {
    opened,
    isIdle: after === sweepStart && slots.length === 0 && projectIds.length === 0,
    next: slots.length < slotsPerTurn ? undefined : slots.at(-1),
  };
}
