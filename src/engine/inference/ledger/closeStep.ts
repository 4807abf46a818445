import type { StepError } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';
import { defaultRetry, retryDelayMs } from '../../registry/index.ts';
import { settleWithin } from '../../work/index.ts';
import { deleteCalls } from '../sql/deleteCalls.ts';
import { readStepSends, type StepSendRow } from '../sql/readStepSends.ts';
import { type StepAi, stepJournal } from './stepJournal.ts';

/** A call whose step settles. */
export interface ClosedCall {
  runId: string;
  stepIndex: number;
  attempt: number;
  provider: string;
  model: string;
}

/**
 * How the step ends: with an output (JSON text), or with an error. `mayRetry`: the workflow's
 * `retry` policy applies.
 */
export type StepEnd =
  | { kind: 'succeeded'; output: string; ai: StepAi }
  | { kind: 'failed'; error: StepError; ai: StepAi; mayRetry: boolean };

export interface Closing {
  call: ClosedCall;
  end: StepEnd;
  definition: Definition | undefined;
}

/**
 * Settles the steps of calls, and deletes the calls with their requests. The transaction has locked
 * the runs and the calls.
 */
export async function closeSteps(
  { ctx, tx }: { ctx: EngineContext; tx: Transaction },
  closings: readonly Closing[],
): Promise<void> {
  const calls = closings.map(({ call: { runId, stepIndex, attempt } }) => ({ runId, stepIndex, attempt }));
  const sends = await readStepSends(tx, { steps: calls });
  await settleWithin(
    ctx,
    tx,
    closings.map((closing) => settlementOf(closing, sends.filter(isOf(closing.call)))),
  );
  await deleteCalls(tx, { calls });
}

const isOf =
  ({ runId, stepIndex }: ClosedCall) =>
  (send: StepSendRow): boolean =>
    send.runId === runId && send.stepIndex === stepIndex;

function settlementOf({ call, end, definition }: Closing, sends: readonly StepSendRow[]) {
  const { runId, stepIndex, attempt, ...called } = call;
  const failed = end.kind === 'failed';
  return {
    ...{ runId, stepIndex, attempt, ...stepJournal(called, sends, end.ai), isDecision: false },
    status: end.kind,
    output: failed ? undefined : end.output,
    error: failed ? JSON.stringify(end.error) : undefined,
    retryInMs: failed && end.mayRetry ? retryIn(definition, attempt) : undefined,
  };
}

/** In how many ms the step is retried (2.2 `retry`); undefined: its attempts are spent. */
function retryIn(definition: Definition | undefined, attempt: number): number | undefined {
  const retry = definition?.retry ?? defaultRetry;
  return attempt < retry.maxAttempts ? retryDelayMs(retry, attempt) : undefined;
}
