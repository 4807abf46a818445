import { statement } from '../../db/index.ts';

export interface CallerRow {
  run_id: string;
  step_index: number;
  attempt: number;
  child_run_id: string;
}

/**
 * The parked steps of these runs that wait for these children. Reads each parent's steps once, however many of its children
 * are asked about.
 */
export const findCallers = statement<{ parentRunIds: readonly string[]; childRunIds: readonly string[] }, CallerRow>({
  name: 'findCallers',
  writes: false,
  text: `
    select run_id, index as step_index, attempt, child_run_id from run_step
    where run_id = any($1::uuid[]) and status = 'waiting' and child_run_id in (select unnest($2::uuid[]))
  `,
  values: ({ parentRunIds, childRunIds }) => [parentRunIds, childRunIds],
});
