import type { EngineContext } from '../context.ts';
import { moveCalls } from './sql/moveCalls.ts';

const pageSize = 2_000;

/**
 * Moves the waiting calls of a project to the key that its calls use now, after its key was set or
 * removed. Leased calls move once they are freed. Answers the number of moved calls.
 */
export async function relaneCalls(ctx: EngineContext, projectId: string, provider: string): Promise<number> {
  let moved = 0;
  for (;;) {
    const page = await moveCalls(ctx.db, { projectId, provider, limit: pageSize });
    moved += page.length;
    if (page.length < pageSize) break;
  }
  if (moved > 0) ctx.bus.emit('inference.due', {});
  return moved;
}
