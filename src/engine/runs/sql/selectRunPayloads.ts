import { statement } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

export interface RunPayloadsParams {
  projectId: string;
  ids: readonly string[];
  input: boolean;
  result: boolean;
  error: boolean;
  /** Bytes to read at most. */
  maxBytes: number;
}

export interface RunPayloads extends Sized {
  id: string;
  input: string | null;
  result: string | null;
  error: string | null;
}

/** JSON texts of runs. A column that was not asked for is not even read from where PostgreSQL keeps large values. */
export const selectRunPayloads = statement<RunPayloadsParams, RunPayloads>({
  name: 'selectRunPayloads',
  writes: false,
  text: `select id, bytes, upto <= $6 as "isRead", case when upto <= $6 then input end as input,
           case when upto <= $6 then result end as result, case when upto <= $6 then error end as error
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select id, input, result, error, coalesce(octet_length(input::text), 0)
                      + coalesce(octet_length(result::text), 0) + coalesce(octet_length(error::text), 0) as bytes
             from (
               select id, case when $3 then input end as input, case when $4 then result end as result,
                 case when $5 then error end as error
               from run where id = any($1::uuid[]) and project_id = $2
             ) wanted
           ) sized
         ) bounded`,
  values: ({ projectId, ids, input, result, error, maxBytes }) => [ids, projectId, input, result, error, maxBytes],
});
