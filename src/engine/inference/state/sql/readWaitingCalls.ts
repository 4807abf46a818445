import { int, rowset, statement, uuid } from '../../../db/index.ts';

/** A call with one of its sends; without a number, it has none. */
export interface WaitingCallRow {
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

/** The sends that a waiting step shows at most: the last ones. */
export const shownWhileWaiting = 20;

/** The calls of waiting steps, with their last sends. Rides primary keys. */
export const readWaitingCalls = statement<WaitingCallRow>('readWaitingCalls').reads({
  params: { steps: rowset({ runId: uuid, index: int, attempt: int }) },
  text: `
    select c.run_id, c.step_index, c.attempt, c.provider, c.model, s.number, s.outcome, s.started_at,
      (extract(epoch from s.ended_at - s.started_at) * 1000)::float8 as ms, s.status, s.request_id, s.tokens_in, s.tokens_out, s.error
    from $steps as step
    join inference_call c on c.run_id = step.run_id and c.step_index = step.index and c.attempt = step.attempt
    left join lateral (
      select * from inference_send
      where run_id = c.run_id and step_index = c.step_index and attempt = c.attempt
      order by number desc limit ${shownWhileWaiting}
    ) s on true
    order by c.run_id, c.step_index, s.number`,
});
