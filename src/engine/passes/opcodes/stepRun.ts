import { HoldfastError } from '../../errors.ts';
import type { ResolvedRetry } from '../../model/index.ts';
import { parseRetry, retryDelayMs } from '../../registry/index.ts';
import type { StepRow } from '../commit.ts';
import { readStepError, requestedDelay } from '../readAnswer.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

/** `StepRun`: user code ran, and returned, threw, or was skipped. */
export function stepRun(input: OpcodeInput): OpcodeEffect {
  const { fields } = input;
  const common = { input: text(input, 'input'), ai: text(input, 'ai'), usage: text(input, 'usage') };
  if (fields['error'] !== undefined && fields['error'] !== null) return failure(input, common);
  const output = text(input, 'data');
  if (fields['skipped'] === true) {
    return { kind: 'settled', step: stepRow(input, { ...common, status: 'skipped', output, elapsedMs: 0 }) };
  }
  return { kind: 'settled', step: stepRow(input, { ...common, status: 'succeeded', output: output ?? 'null' }) };
}

const text = (input: OpcodeInput, field: string): string | undefined => input.raw(field)?.text;

/**
 * 2.2 retry: each step has the whole budget; `retriable: false` ends the run, a spent budget only
 * the step.
 */
function failure(input: OpcodeInput, common: Partial<StepRow>): OpcodeEffect {
  const { fields, attempt } = input;
  const error = readStepError(fields['error']);
  if (!error) return failedStep(input, 'the step failed without a readable error');
  const row = { ...common, status: 'failed', error: JSON.stringify(error) } as const;
  if (fields['retriable'] === false) return { kind: 'fatal', step: stepRow(input, row), error };
  const retry = policyOf(input);
  if (typeof retry === 'string') return failedStep(input, retry);
  if (attempt >= retry.maxAttempts) return { kind: 'settled', step: stepRow(input, row) };
  const inMs = requestedDelay(fields['retryAfterMs']) ?? retryDelayMs(retry, attempt);
  return { kind: 'retrying', step: stepRow(input, { ...row, willRetry: true, runAfter: { inMs } }) };
}

/** The step's own policy over the workflow's, or why it is malformed. */
function policyOf({ fields, retry }: OpcodeInput): ResolvedRetry | string {
  try {
    return parseRetry(fields['retry'], undefined, retry);
  } catch (error) {
    if (error instanceof HoldfastError) return error.message;
    throw error;
  }
}
