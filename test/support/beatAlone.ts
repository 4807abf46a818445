import type { EngineContext } from '../../src/engine/context.ts';
import { heartbeatMs, tickDispatcher } from '../../src/engine/dispatchers/index.ts';

/**
 * Beats of its own, without a gap, after which a dispatcher finds dead whoever did not beat
 * meanwhile.
 */
const beats = 4;

/**
 * Lets time pass in which of all dispatchers only this one beats, until it finds the others dead.
 * Answers its last beat.
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
