import { int, statement, uuid } from '../../db/index.ts';

/**
 * Deletes a call whose step does not wait: a version without model calls has ended its run. The
 * transaction has locked the run. A call that another process claimed meanwhile is deleted, too.
 */
export const dropOrphan = statement<{ runId: string }>('dropOrphan').writes({
  params: { runId: uuid, stepIndex: int },
  text: `
    delete from inference_call c
    where c.run_id = $runId and c.step_index = $stepIndex and not exists (
      select from run_step s
      where s.run_id = c.run_id and s.index = c.step_index and s.attempt = c.attempt and s.status = 'waiting')
    returning c.run_id
  `,
});
