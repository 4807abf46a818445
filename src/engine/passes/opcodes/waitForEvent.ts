import { checkGuard, digestOf } from '../../cel/index.ts';
import { isLongerThan, maxNameLength } from '../../codePoints.ts';
import { HoldfastError } from '../../errors.ts';
import { hasControlCharacter } from '../../json/index.ts';
import type { EngineLimits } from '../../settings.ts';
import type { WaitRow } from '../commit.ts';
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
 * `WaitForEvent`: parks until a matching event, or until the timeout. With `sinceMs`, an event of
 * the log may end it before it begins.
 */
export function waitForEvent(input: OpcodeInput): OpcodeEffect {
  const { eventName, timeoutMs, eventIf, sinceMs } = input.fields;
  if (typeof eventName !== 'string' || eventName.trim() === '' || isLongerThan(eventName, maxNameLength)) {
    return failedStep(input, `eventName must be a string of 1 to ${maxNameLength} characters`);
  }
  if (hasControlCharacter(eventName)) return failedStep(input, 'unsupported character in eventName');
  if (timeoutMs !== undefined && timeoutMs !== null && !isTimeout(timeoutMs)) {
    return failedStep(input, `timeoutMs must be a number from 0 to ${maxWaitMs}`);
  }
  if (sinceMs !== undefined && sinceMs !== null && !isEpochMs(sinceMs)) {
    return failedStep(input, `sinceMs ${epochMsLimit}`);
  }
  const since = isEpochMs(sinceMs) ? dateAt(sinceMs) : undefined;
  const guard = readGuard(eventIf, input.limits);
  if ('refused' in guard) return failedStep(input, guard.refused);
  const step = stepRow(input, {
    status: 'waiting',
    eventName,
    runAfter: isTimeout(timeoutMs) ? { inMs: timeoutMs } : undefined,
    input: JSON.stringify({ event: eventName, since, timeoutMs: timeoutMs ?? undefined, if: guard.eventIf }),
    elapsedMs: 0,
  });
  const wait = { stepIndex: input.index, eventName, ...guard, since };
  return since ? { kind: 'sideEffect', step, sideEffect: { kind: 'wait', wait } } : { kind: 'parked', step, wait };
}

const isTimeout = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= maxWaitMs;

type GuardTerms = Pick<WaitRow, 'eventIf' | 'matchPath' | 'matchValue'>;

/**
 * If the guard demands a value at a path, the wait is indexed by that value. Events with another
 * value then skip the wait.
 */
function readGuard(eventIf: unknown, limits: EngineLimits): GuardTerms | { refused: string } {
  if (eventIf === undefined || eventIf === null || eventIf === '') {
    return { eventIf: undefined, matchPath: '', matchValue: '' };
  }
  if (typeof eventIf !== 'string') return { refused: 'eventIf must be a string' };
  try {
    const { equality } = checkGuard(eventIf, limits);
    const matchValue = equality && digestOf(equality.value);
    if (!equality || matchValue === undefined) return { eventIf, matchPath: '', matchValue: '' };
    return { eventIf, matchPath: equality.path, matchValue };
  } catch (error) {
    if (error instanceof HoldfastError) return { refused: `eventIf: ${error.message}` };
    throw error;
  }
}
