import {
  dateAt,
  epochMsLimit,
  failedStep,
  isEpochMs,
  maxWaitMs,
  type OpcodeEffect,
  type OpcodeInput,
  stepRow,
} from './opcode.ts';

/**
 * `Sleep`: the wake time is computed at the commit, by the database's clock, so that a repeat
 * changes nothing. `agoMs` tells how long before the answer the handler called the step, because
 * the answer waited for other steps. The sleep counts from the call, which lies within the pass.
 */
export function sleep(input: OpcodeInput): OpcodeEffect {
  const { sleepMs, agoMs } = input.fields;
  if (typeof sleepMs !== 'number' || !Number.isFinite(sleepMs) || sleepMs < 0 || sleepMs > maxWaitMs) {
    return failedStep(input, `sleepMs must be a number from 0 to ${maxWaitMs}`);
  }
  const isTold = typeof agoMs === 'number' && agoMs > 0;
  const elapsedMs = isTold ? Math.min(agoMs, input.elapsedMs) : 0;
  return parkedUntil(input, { runAfter: { inMs: sleepMs - elapsedMs }, elapsedMs, shown: { sleepMs } });
}

/** `SleepUntil`: an absolute time, stored as it came; a past one wakes on the next cycle. */
export function sleepUntil(input: OpcodeInput): OpcodeEffect {
  const { sleepUntilMs } = input.fields;
  if (!isEpochMs(sleepUntilMs)) return failedStep(input, `sleepUntilMs ${epochMsLimit}`);
  return parkedUntil(input, { runAfter: { at: dateAt(sleepUntilMs) }, elapsedMs: 0, shown: { sleepUntilMs } });
}

interface Parked {
  runAfter: { inMs: number } | { at: Date };
  /** Since the handler called the step. */
  elapsedMs: number;
  shown: object;
}

function parkedUntil(input: OpcodeInput, { runAfter, elapsedMs, shown }: Parked): OpcodeEffect {
  const step = stepRow(input, { status: 'waiting', runAfter, input: JSON.stringify(shown), elapsedMs });
  return { kind: 'parked', step, wait: undefined };
}
