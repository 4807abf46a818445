import type { StepError } from '@holdfast/sdk/protocol';
import type { RawJson } from '../../json/index.ts';
import type { ResolvedRetry } from '../../model/index.ts';
import type { TargetRules } from '../../net/index.ts';
import type { EngineLimits } from '../../settings.ts';
import type { StepRow, WaitRow } from '../commit.ts';
import type { SideEffect } from '../side-effects/sideEffect.ts';

/** An opcode of an answer, with the numbers of its step. */
export interface OpcodeInput {
  op: string;
  /** Hashed step id. */
  stepId: string;
  name: string;
  index: number;
  /** The attempt of the step that this reports. */
  attempt: number;
  fields: Readonly<Record<string, unknown>>;
  /** The source of a payload field. */
  raw(field: string): RawJson | undefined;
  elapsedMs: number;
  retry: ResolvedRetry;
  limits: EngineLimits;
  /** The addresses that a webhook may have. */
  targets: TargetRules;
}

/**
 * The effect of an opcode:
 * - `settled`: the step has ended; its memo stands.
 * - `parked`: it waits for a time or an event.
 * - `retrying`: it failed and will be retried.
 * - `fatal`: it failed, and the run fails with it.
 * - `sideEffect`: it causes a change that is made in the transaction that records it.
 */
export type OpcodeEffect =
  | { kind: 'settled'; step: StepRow }
  | { kind: 'parked'; step: StepRow; wait: WaitRow | undefined }
  | { kind: 'retrying'; step: StepRow }
  | { kind: 'fatal'; step: StepRow; error: StepError }
  | { kind: 'sideEffect'; step: StepRow; sideEffect: SideEffect };

/** The longest sleep or wait of a step, in ms: about a hundred years. */
export const maxWaitMs = 100 * 365 * 86_400_000;

const latestMs = Date.UTC(9999, 11, 31);

/** Whether a field is an instant that can be stored: epoch milliseconds. */
export const isEpochMs = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= latestMs;

export const epochMsLimit = 'must be milliseconds since the epoch, at most those of the year 9999';

/** An instant before the epoch has passed like the epoch itself. */
export const dateAt = (epochMs: number): Date => new Date(Math.max(epochMs, 0));

/** A row with the defaults of most steps. */
export function stepRow(input: OpcodeInput, row: Pick<StepRow, 'status'> & Partial<StepRow>): StepRow {
  return {
    stepId: input.stepId,
    index: input.index,
    attempt: input.attempt,
    name: input.name,
    op: input.op,
    input: undefined,
    output: undefined,
    error: undefined,
    ai: undefined,
    usage: undefined,
    runAfter: undefined,
    willRetry: false,
    retryWithdrawn: false,
    eventName: undefined,
    childRunId: undefined,
    elapsedMs: input.elapsedMs,
    ...row,
  };
}

/**
 * A step that fails for good without an execution. The handler receives the error and may catch it.
 */
export function failedStep(input: OpcodeInput, message: string, name?: string): OpcodeEffect {
  const error: StepError = name === undefined ? { message } : { name, message };
  return { kind: 'settled', step: stepRow(input, { status: 'failed', error: JSON.stringify(error), elapsedMs: 0 }) };
}
