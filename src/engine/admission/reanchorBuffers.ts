import type { EngineContext } from '../context.ts';
import { moveBuffersBack } from './sql/moveBuffersBack.ts';

const pageSize = 500;
/** Clocks are set back by seconds all the time; that much of a wait is no harm. */
const toleranceMs = 60_000;

/**
 * Brings buffers back that a clock which ran ahead took along: without it, what was gathered a day early would lie there for
 * that day. Answers how many it moved.
 */
export async function reanchorBuffers(ctx: EngineContext): Promise<number> {
  const moved = await moveBuffersBack(ctx.db, { limit: pageSize, toleranceMs, now: ctx.clock.sql() });
  if (moved.length === 0) return 0;
  ctx.log.warn({ buffers: moved.length }, 'the clock was set back: what is buffered follows it');
  ctx.bus.emit('work.due', { inMs: 0 });
  return moved.length;
}
