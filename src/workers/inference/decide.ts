import type { StepError } from '@holdfast/sdk/protocol';
import type { CallOutcome, InferRequest, Message, Refusal, SendEnding, StepAi } from '../../engine/inference/index.ts';
import type { CheckedAnswer } from './checkAnswer.ts';
import { memoOf } from './memo.ts';
import { askAgain, reasonOf } from './reask.ts';

/** What is known about a call when one of its sends has ended. */
export interface Situation {
  request: InferRequest;
  /** Failures before this send that did not hold the lane. */
  failures: number;
  /** How often the answer was asked for again. */
  reasked: number;
  /** Whether this process ended the send, so that another one repeats it. */
  isHandedOn: boolean;
  /** USD; undefined: unpriced. */
  cost: number | undefined;
  /** Known before the send. */
  ai: StepAi;
  /** From 0 to 1. */
  random: number;
}

/** What follows from the end of a send. `reask`: it is sent again with these further messages. */
export type Decision = Exclude<CallOutcome, { kind: 'again' }> | Again | { kind: 'reask'; messages: Message[] };
type Again = Omit<Extract<CallOutcome, { kind: 'again' }>, 'reask'>;

/** How often a call is sent again after failures that do not hold its lane. */
export const failureBudget = 10;
const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
const jitter = 0.1;
/** A provider may hold its lane for this long. */
export const maxHoldMs = 600_000;

/** Decides what follows from a send. `check` reads answers. */
export function decide(
  ending: SendEnding,
  situation: Situation,
  check: (answer: Extract<SendEnding, { outcome: 'answered' }>['answer']) => CheckedAnswer,
): Decision {
  switch (ending.outcome) {
    case 'answered':
      return decideAnswer(ending, situation, check(ending.answer));
    case 'refused':
      return decideRefusal(ending.refusal, ending.message, situation);
    case 'unknown':
      return decideUnknown(ending, situation);
  }
}

/** Decides about a call before it is sent: the end of its last send may be unknown. */
export function decideRepetition(
  request: InferRequest,
  { afterUnknown, failures, ai }: { afterUnknown: boolean; failures: number; ai: StepAi },
): CallOutcome | undefined {
  if (!afterUnknown) return undefined;
  if (request.onUnknown === 'fail') return failed(unknownError(deadText), { ai, mayRetry: false });
  // Only a dead process counts a failure without a decision. The call may be what kills them.
  return failures > failureBudget ? failed(inferenceError(deadText), { ai, mayRetry: true }) : undefined;
}

const deadText = 'the process that sent it has died';

/** The error of a request that can never be sent. */
export const inferenceError = (message: string): StepError => ({ name: 'InferenceError', message });

function decideAnswer(
  { answer, usage, warnings }: Extract<SendEnding, { outcome: 'answered' }>,
  { request, reasked, cost, ai }: Situation,
  { object, problems, skipped }: CheckedAnswer,
): Decision {
  const finishReason = answer.kind === 'text' ? answer.finishReason : undefined;
  const told: StepAi = { ...ai, warnings: [...(ai.warnings ?? []), ...warnings, ...notChecked(skipped)], finishReason };
  // A refusal or a filter is no error, also where JSON was wanted.
  if (problems.length === 0 || finishReason === 'content-filter') {
    return { kind: 'succeeded', output: memoOf({ answer, object, usage, cost }), ai: told };
  }
  const mayReask = reasked < (request.kind === 'text' ? request.reasks : 0) && finishReason !== 'length';
  if (mayReask && request.kind === 'text' && answer.kind === 'text') {
    return { kind: 'reask', messages: askAgain(request, answer, problems) };
  }
  const cut = finishReason === 'length' ? 'the answer was cut off at its limit of tokens (maxTokens): ' : '';
  const error = { name: 'InvalidOutputError', message: `${cut}${reasonOf(problems)}` };
  return failed(error, { ai: told, mayRetry: false });
}

/** Patterns are not repeated, because they are parts of the request. */
const notChecked = (skipped: readonly string[]): string[] =>
  skipped.length === 0 ? [] : [`patterns of the schema that were not checked: ${skipped.length}`];

function decideRefusal(refusal: Refusal, message: string, situation: Situation): Decision {
  const { ai } = situation;
  switch (refusal.kind) {
    case 'transient':
      return decideFailure(message, situation);
    case 'overloaded': {
      const { retryAfterMs } = refusal;
      const forMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, maxHoldMs);
      return { kind: 'held', forMs, reason: message };
    }
    case 'exhausted':
      return { ...failed(inferenceError(message), { ai, mayRetry: false }), refusal: message };
    case 'final':
      return failed(inferenceError(message), { ai, mayRetry: false });
  }
}

function decideUnknown(
  { message, isFinal }: Extract<SendEnding, { outcome: 'unknown' }>,
  situation: Situation,
): Decision {
  const { request, isHandedOn, ai } = situation;
  if (isFinal) return failed(inferenceError(message), { ai, mayRetry: false });
  if (request.onUnknown === 'fail') return failed(unknownError(message), { ai, mayRetry: false });
  return isHandedOn ? { kind: 'again', inMs: 0 } : decideFailure(message, situation);
}

/** A failure that has a budget of its own. Once it is spent, the step's attempts apply. */
function decideFailure(message: string, { failures, random, ai }: Situation): Decision {
  if (failures >= failureBudget) return failed(inferenceError(message), { ai, mayRetry: true });
  const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** failures);
  return { kind: 'again', inMs: Math.round(delayMs * (1 + jitter * random)), failed: true };
}

const unknownError = (message: string): StepError => ({
  name: 'InferenceUnknownError',
  message: `the request may have been executed, and is not repeated: ${message}`,
});

const failed = (error: StepError, { ai, mayRetry }: { ai: StepAi; mayRetry: boolean }) =>
  ({ kind: 'failed', error, ai, mayRetry }) as const;
