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
 * changes nothing.
 */
export function sleep(input: OpcodeInput): OpcodeEffect {
  const { sleepMs } = input.fields;
  if (typeof sleepMs !== 'number' || !Number.isFinite(sleepMs) || sleepMs < 0 || sleepMs > maxWaitMs) {
    return failedStep(input, `sleepMs must be a number from 0 to ${maxWaitMs}`);
  }
  return parkedUntil(input, { inMs: sleepMs }, { sleepMs });
}

/** `SleepUntil`: an absolute time, stored as it came; a past one wakes on the next cycle. */
export function sleepUntil(input: OpcodeInput): OpcodeEffect {
  const { sleepUntilMs } = input.fields;
  if (!isEpochMs(sleepUntilMs)) return failedStep(input, `sleepUntilMs ${epochMsLimit}`);
  return parkedUntil(input, { at: dateAt(sleepUntilMs) }, { sleepUntilMs });
}

function parkedUntil(input: OpcodeInput, runAfter: { inMs: number } | { at: Date }, shown: object): OpcodeEffect {
  const step = stepRow(input, { status: 'waiting', runAfter, input: JSON.stringify(shown), elapsedMs: 0 });
  return { kind: 'parked', step, wait: undefined };
}
