import { drawConsequences } from '../../src/engine/consequences/index.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import type { ScriptedDispatcher } from './scriptedRunner.ts';

/**
 * Executes until no run is ready, with all consequences. Consequences come first, because other
 * processes may perform them at the same time, which makes further runs ready.
 */
export async function settleAll(engine: EngineContext, dispatcher: ScriptedDispatcher): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) {
    const { rows } = await engine.db.query<{ run_id: string }>('select run_id from run_outcome');
    await drawConsequences(
      engine,
      rows.map((row) => row.run_id),
    );
    const taken = await dispatcher.runOnce();
    if (taken === 0 && rows.length === 0) return;
  }
}
