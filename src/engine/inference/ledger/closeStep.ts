import type { StepError } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';
import { defaultRetry, retryDelayMs } from '../../registry/index.ts';
import { settleWithin } from '../../work/index.ts';
import { deleteCall } from '../sql/deleteCall.ts';
import { readStepSends } from '../sql/readStepSends.ts';
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

/**
 * Settles the step of a call, and deletes the call with its request. The transaction has locked the
 * run and the call.
 */
export async function closeStep(
  { ctx, tx }: { ctx: EngineContext; tx: Transaction },
  { runId, stepIndex, attempt, ...called }: ClosedCall,
  { end, definition }: { end: StepEnd; definition: Definition | undefined },
): Promise<void> {
  const sends = await readStepSends(tx, { runId, stepIndex, attempt });
  const step = { runId, stepIndex, attempt, ...stepJournal(called, sends, end.ai), isDecision: false };
  const failed = end.kind === 'failed';
  await settleWithin(ctx, tx, [
    {
      ...step,
      status: end.kind,
      output: failed ? undefined : end.output,
      error: failed ? JSON.stringify(end.error) : undefined,
      retryInMs: failed && end.mayRetry ? retryIn(definition, attempt) : undefined,
    },
  ]);
  await deleteCall(tx, { runId, stepIndex });
}

/** In how many ms the step is retried (2.2 `retry`); undefined: its attempts are spent. */
function retryIn(definition: Definition | undefined, attempt: number): number | undefined {
  const retry = definition?.retry ?? defaultRetry;
  return attempt < retry.maxAttempts ? retryDelayMs(retry, attempt) : undefined;
}
