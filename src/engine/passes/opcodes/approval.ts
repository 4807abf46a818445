import { type OnTimeout, onTimeouts } from '../../approvals/index.ts';
import { HoldfastError, invalid } from '../../errors.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import { boundedText } from '../../runs/index.ts';
import { failedStep, maxWaitMs, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

const maxNote = 10_000;

/** `Approval`: parks until a person decides about the proposed action, or the deadline passes. */
export function approval(input: OpcodeInput): OpcodeEffect {
  try {
    const { fields } = input;
    const tool = boundedText('tool', fields['tool']);
    if (tool === undefined) return failedStep(input, 'tool is required');
    const args = input.raw('data');
    const step = stepRow(input, { status: 'waiting', input: args?.text, elapsedMs: 0 });
    const sideEffect = {
      kind: 'approval',
      tool,
      args,
      risk: boundedText('risk', fields['risk']) ?? 'unspecified',
      policy: note('policy', fields['policy']),
      summary: note('summary', fields['summary']),
      context: note('context', fields['context']),
      escalatesTo: boundedText('escalatesTo', fields['escalatesTo']) ?? '',
      onTimeout: onTimeoutOf(fields['onTimeout']),
      timeoutMs: timeoutOf(fields['timeoutMs']),
    } as const;
    return { kind: 'sideEffect', step, sideEffect };
  } catch (error) {
    if (error instanceof HoldfastError) return failedStep(input, error.message);
    throw error;
  }
}

function onTimeoutOf(value: unknown): OnTimeout {
  if (value === undefined || value === null) return 'escalate';
  const known = onTimeouts.find((each) => each === value);
  if (!known) throw invalid(`onTimeout must be one of ${onTimeouts.join(', ')}`);
  return known;
}

function timeoutOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= maxWaitMs) return value;
  throw invalid(`timeoutMs must be a number from 0 to ${maxWaitMs}`);
}

/** An annotation for reviewers: absent, or text that can be stored. */
function note(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(`${field} must be a string`);
  if (value.length > maxNote) throw invalid(`${field} may be at most ${maxNote} characters long`);
  if (hasUnsupportedCharacter(value)) throw invalid(`unsupported character in ${field}`);
  return value;
}
