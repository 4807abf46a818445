import { bigint, bool, int, rowset, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';
import type { StepPosition } from './selectRunSteps.ts';

/** Steps of one run that follow each other. */
export interface StepSpan {
  runId: string;
  after: StepPosition;
  /** The last of them. */
  upTo: StepPosition;
}

export interface StepPayloads extends Sized {
  runId: string;
  index: number;
  attempt: number;
  input: string | null;
  output: string | null;
  error: string | null;
  ai: string | null;
}

/** JSON texts of steps; only of the columns asked for. Rides the primary key. */
export const selectStepPayloads = statement<StepPayloads>('selectStepPayloads').reads({
  params: {
    spans: rowset({
      runId: uuid,
      afterIndex: int.of(({ after }: StepSpan) => after.index),
      afterAttempt: int.of(({ after }: StepSpan) => after.attempt),
      lastIndex: int.of(({ upTo }: StepSpan) => upTo.index),
      lastAttempt: int.of(({ upTo }: StepSpan) => upTo.attempt),
    }),
    input: bool,
    output: bool,
    error: bool,
    ai: bool,
    /** Bytes to read at most. */
    maxBytes: bigint,
  },
  text: `select run_id, index, attempt, bytes, upto <= $maxBytes as is_read,
           case when upto <= $maxBytes then input end as input, case when upto <= $maxBytes then output end as output,
           case when upto <= $maxBytes then error end as error, case when upto <= $maxBytes then ai end as ai
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select wanted.*, coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)
                      + coalesce(octet_length(error::text), 0) + coalesce(octet_length(ai::text), 0) as bytes
             from (
               select s.run_id, s.index, s.attempt, case when $input then s.input end as input,
                 case when $output then s.output end as output, case when $error then s.error end as error,
                 case when $ai then s.ai end as ai
               from $spans as span
               join run_step s on s.run_id = span.run_id
                 and (s.index, s.attempt) > (span.after_index, span.after_attempt)
                 and (s.index, s.attempt) <= (span.last_index, span.last_attempt)
             ) wanted
           ) sized
         ) bounded`,
});
