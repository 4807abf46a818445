import type { EngineContext } from '../../src/engine/context.ts';
import { heartbeatMs, tickDispatcher } from '../../src/engine/dispatchers/index.ts';

/** Heartbeats in a row, after which a dispatcher treats silent ones as dead. */
const beats = 4;

/**
 * Advances the time while only this dispatcher beats, until it has found the others dead. Returns
 * its last heartbeat.
 */
export async function beatAlone(
  engine: EngineContext,
  dispatcherId: string,
  advance: (ms: number) => unknown,
): Promise<{ alive: boolean }> {
  for (let beat = 1; beat < beats; beat += 1) {
    await tickDispatcher(engine, dispatcherId);
    await advance(heartbeatMs);
  }
  return tickDispatcher(engine, dispatcherId);
}
