import { statement } from '../../db/statement.ts';

export interface RunPayloadsParams {
  projectId: string;
  ids: readonly string[];
  input: boolean;
  result: boolean;
  error: boolean;
}

export interface RunPayloads {
  id: string;
  input: string | null;
  result: string | null;
  error: string | null;
}

/** JSON texts of runs. A column that was not asked for is not even read from where PostgreSQL keeps large values. */
export const selectRunPayloads = statement<RunPayloadsParams, RunPayloads>({
  name: 'selectRunPayloads',
  writes: false,
  text: `select id, case when $3 then input end as input, case when $4 then result end as result,
           case when $5 then error end as error
         from run where id = any($1::uuid[]) and project_id = $2`,
  values: ({ projectId, ids, input, result, error }) => [ids, projectId, input, result, error],
});
