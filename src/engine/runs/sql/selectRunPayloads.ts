import { bigint, bool, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

export interface RunPayloads extends Sized {
  id: string;
  input: string | null;
  result: string | null;
  error: string | null;
}

/**
 * JSON texts of runs. A column that was not requested is not read, not even from PostgreSQL's store
 * of large values.
 */
export const selectRunPayloads = statement<RunPayloads>('selectRunPayloads').reads({
  params: {
    projectId: uuid,
    ids: uuid.list,
    input: bool,
    result: bool,
    error: bool,
    /** Bytes to read at most. */
    maxBytes: bigint,
  },
  text: `select id, bytes, upto <= $maxBytes as is_read, case when upto <= $maxBytes then input end as input,
           case when upto <= $maxBytes then result end as result, case when upto <= $maxBytes then error end as error
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select id, input, result, error, coalesce(octet_length(input::text), 0)
                      + coalesce(octet_length(result::text), 0) + coalesce(octet_length(error::text), 0) as bytes
             from (
               select id, case when $input then input end as input, case when $result then result end as result,
                 case when $error then error end as error
               from run where id = any($ids) and project_id = $projectId
             ) wanted
           ) sized
         ) bounded`,
});
