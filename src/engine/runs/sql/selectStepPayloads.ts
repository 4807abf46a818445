import { statement } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';
import type { StepPosition } from './selectRunSteps.ts';

/** Steps of one run that follow each other. */
export interface StepSpan {
  runId: string;
  after: StepPosition;
  /** The last of them. */
  upTo: StepPosition;
}

export interface StepPayloadsParams {
  spans: readonly StepSpan[];
  input: boolean;
  output: boolean;
  error: boolean;
  ai: boolean;
  /** Bytes to read at most. */
  maxBytes: number;
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
export const selectStepPayloads = statement<StepPayloadsParams, StepPayloads>({
  name: 'selectStepPayloads',
  writes: false,
  text: `select run_id as "runId", index, attempt, bytes, upto <= $10 as "isRead",
           case when upto <= $10 then input end as input, case when upto <= $10 then output end as output,
           case when upto <= $10 then error end as error, case when upto <= $10 then ai end as ai
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select wanted.*, coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)
                      + coalesce(octet_length(error::text), 0) + coalesce(octet_length(ai::text), 0) as bytes
             from (
               select s.run_id, s.index, s.attempt, case when $6 then s.input end as input,
                 case when $7 then s.output end as output, case when $8 then s.error end as error,
                 case when $9 then s.ai end as ai
               from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[])
                      as span (run_id, after_index, after_attempt, last_index, last_attempt)
               join run_step s on s.run_id = span.run_id
                 and (s.index, s.attempt) > (span.after_index, span.after_attempt)
                 and (s.index, s.attempt) <= (span.last_index, span.last_attempt)
             ) wanted
           ) sized
         ) bounded`,
  values: ({ spans, input, output, error, ai, maxBytes }) => [
    spans.map(({ runId }) => runId),
    spans.map(({ after }) => after.index),
    spans.map(({ after }) => after.attempt),
    spans.map(({ upTo }) => upTo.index),
    spans.map(({ upTo }) => upTo.attempt),
    input,
    output,
    error,
    ai,
    maxBytes,
  ],
});
