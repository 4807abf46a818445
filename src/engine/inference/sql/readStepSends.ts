import { int, rowset, statement, uuid } from '../../db/index.ts';

export interface StepSendRow {
  runId: string;
  stepIndex: number;
  number: number;
  outcome: string | null;
  startedAt: Date;
  ms: number | null;
  status: number | null;
  requestId: string | null;
  tokensIn: number | null;
  tokensOut: number | null;
  error: string | null;
  /** Whether it was recorded as spend. */
  isBilled: boolean;
  billedIn: number | null;
  billedOut: number | null;
  cost: number | null;
  latencyMs: number | null;
}

/** The sends that a step shows at most: the last ones. */
export const shownSends = 200;

/** The sends of attempts of steps, with their spend. */
export const readStepSends = statement<StepSendRow>('readStepSends').reads({
  params: { steps: rowset({ runId: uuid, stepIndex: int, attempt: int }) },
  text: `
    select s.run_id, s.step_index, s.number, s.outcome, s.started_at, (extract(epoch from s.ended_at - s.started_at) * 1000)::float8 as ms,
      s.status, s.request_id, s.tokens_in, s.tokens_out, s.error,
      u.run_id is not null as is_billed, u.tokens_in as billed_in, u.tokens_out as billed_out, u.cost, u.latency_ms
    from $steps as k
    join inference_send s on s.run_id = k.run_id and s.step_index = k.step_index and s.attempt = k.attempt
    left join ai_usage u on u.run_id = s.run_id and u.step_index = s.step_index and u.attempt = s.attempt and u.send = s.number
    order by s.run_id, s.step_index, s.number
  `,
});
