import { int, rowset, statement, uuid } from '../../../db/index.ts';

/** The call of a step with one of its sends; without a number, it has none. */
export interface CallSoFarRow {
  runId: string;
  stepIndex: number;
  attempt: number;
  provider: string;
  model: string;
  number: number | null;
  outcome: string | null;
  startedAt: Date | null;
  ms: number | null;
  status: number | null;
  requestId: string | null;
  tokensIn: number | null;
  tokensOut: number | null;
  error: string | null;
}

/** The sends that such a step shows at most: the last ones. */
export const shownSoFar = 20;

/**
 * The calls of steps that have not settled, with their last sends. A cancelled step has no call any
 * more, and is left out if it has no sends either. Rides primary keys.
 */
export const readCallsSoFar = statement<CallSoFarRow>('readCallsSoFar').reads({
  params: { steps: rowset({ runId: uuid, index: int, attempt: int }) },
  text: `
    select step.run_id, step.index as step_index, step.attempt, coalesce(c.provider, s.provider) as provider,
      coalesce(c.model, s.model) as model, s.number, s.outcome, s.started_at,
      (extract(epoch from s.ended_at - s.started_at) * 1000)::float8 as ms, s.status, s.request_id, s.tokens_in, s.tokens_out, s.error
    from $steps as step
    left join inference_call c on c.run_id = step.run_id and c.step_index = step.index and c.attempt = step.attempt
    left join lateral (
      select * from inference_send
      where run_id = step.run_id and step_index = step.index and attempt = step.attempt
      order by number desc limit ${shownSoFar}
    ) s on true
    where c.run_id is not null or s.run_id is not null
    order by step.run_id, step.index, step.attempt, s.number`,
});
