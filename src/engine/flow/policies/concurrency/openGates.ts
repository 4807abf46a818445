import { Batcher } from '../../../batcher.ts';
import type { EngineContext } from '../../../context.ts';
import { perEngine } from '../../../perEngine.ts';
import { gatedProjects } from './sql/gatedProjects.ts';
import { gatedSlots } from './sql/gatedSlots.ts';
import { openCeilings } from './sql/openCeilings.ts';
import { openSlots } from './sql/openSlots.ts';

/** The slots and projects in which runs may continue. */
interface Gateways {
  slots: readonly string[];
  projectIds: readonly string[];
}

/** A sweep for missed runs follows this long after a run was gated, in ms. */
export const sweepAfterMs = 2_000;

/** The maximum number of runs per slot or project that a statement makes ready. */
const page = 1_000;

/** Flushes run one at a time: requests during a flush share the next one. */
const batcherOf = perEngine((ctx) => {
  const limits = { maxItems: 500, maxInFlight: 1, maxQueued: 100_000 };
  return new Batcher({ flush: (all: Gateways[]) => flush(ctx, all), ...limits });
});

/**
 * Makes gated runs ready, in order, up to the number of free slots or the project's ceiling.
 * Returns how many. Runs keep their queue position, and the claim decides whether they execute.
 * Call it after the commit that released a slot, and after the commit that gated a run. The later
 * of the two calls sees both commits.
 */
export function openGates(ctx: EngineContext, gateways: Gateways): Promise<number> {
  if (gateways.slots.length + gateways.projectIds.length === 0) return Promise.resolve(0);
  return batcherOf(ctx).add(gateways);
}

/** Like `openGates`, without waiting. If the call fails, the sweep finds its runs. */
export function openGatesSoon(ctx: EngineContext, gateways: Gateways): void {
  if (gateways.slots.length + gateways.projectIds.length === 0) return;
  openGates(ctx, gateways).catch((error: unknown) => {
    ctx.log.warn({ error, slots: gateways.slots.length }, 'opening gates failed: retrying at the next sweep');
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

/** The position before the first slot. */
export const sweepStart = '-9223372036854775808';

const slotsPerTurn = 500;
const maxProjects = 10_000;

interface Swept {
  /** The number of runs that became ready. */
  opened: number;
  /** Whether no run is gated any more. */
  isIdle: boolean;
  /** The slot after which the next turn begins; undefined after the last slot. */
  next: string | undefined;
}

/**
 * Finds runs that are gated although a slot is free. Their wake-up was lost in a crash, a promised
 * slot was released, or a limit was raised or removed. A turn checks some of the slots, from
 * `after` on.
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
