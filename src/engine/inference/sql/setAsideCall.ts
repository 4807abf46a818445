import { bool, float8, instant, int, statement, uuid } from '../../db/index.ts';
import { movedToKeySql } from './keySql.ts';

/**
 * Frees a call that may not be sent now. The transaction has locked it. A paused one stays until
 * its run is resumed. One that waits for others of its run has a due time of its own, in case the
 * process dies that would wake it.
 */
export const setAsideCall = statement<never>('setAsideCall').writes({
  params: { now: instant, runId: uuid, stepIndex: int, isPaused: bool, isCapped: bool, delayMs: float8 },
  text: `
    update inference_call c
    set lease_id = null, is_capped = $isCapped,
      paused_at = case when $isPaused then coalesce(c.paused_at, $now) else c.paused_at end,
      due_at = greatest(c.due_at, $now + $delayMs * interval '1 ms'), ${movedToKeySql('c')}
    where c.run_id = $runId and c.step_index = $stepIndex
  `,
});
