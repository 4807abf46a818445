import { statement } from '../../db/statement.ts';

export interface StepPayloadsParams {
  runIds: readonly string[];
  input: boolean;
  output: boolean;
  error: boolean;
  ai: boolean;
}

export interface StepPayloads {
  runId: string;
  index: number;
  attempt: number;
  input: string | null;
  output: string | null;
  error: string | null;
  ai: string | null;
}

/** JSON texts of all steps of runs; only of the columns asked for. */
export const selectStepPayloads = statement<StepPayloadsParams, StepPayloads>({
  name: 'selectStepPayloads',
  writes: false,
  text: `select run_id as "runId", index, attempt, case when $2 then input end as input,
           case when $3 then output end as output, case when $4 then error end as error, case when $5 then ai end as ai
         from run_step where run_id = any($1::uuid[])`,
  values: ({ runIds, input, output, error, ai }) => [runIds, input, output, error, ai],
});
