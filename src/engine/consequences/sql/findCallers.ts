import { statement, uuid } from '../../db/index.ts';

export interface CallerRow {
  runId: string;
  stepIndex: number;
  attempt: number;
  childRunId: string;
}

/**
 * The parked steps of these runs that wait for these children. Each parent's steps are read once,
 * even if many of its children have ended.
 */
export const findCallers = statement<CallerRow>('findCallers').reads({
  params: { parentRunIds: uuid.list, childRunIds: uuid.list },
  text: `
    select run_id, index as step_index, attempt, child_run_id from run_step
    where run_id = any($parentRunIds) and status = 'waiting' and child_run_id in (select unnest($childRunIds))
  `,
});
