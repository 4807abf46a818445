import type { EngineContext } from '../context.ts';
import { openGates } from './openGates.ts';
import { gatedProjects } from './sql/gatedProjects.ts';
import { gatedSlots } from './sql/gatedSlots.ts';

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
 * Looks for runs that wait although there is room: those whose wake-up died with a process, whose promised place was given up,
 * whose limit was raised or taken away. One turn looks at some of the slots, from `after` on.
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
