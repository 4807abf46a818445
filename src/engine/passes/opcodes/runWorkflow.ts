import { HoldfastError } from '../../errors.ts';
import { boundedText, parseTags } from '../../runs/index.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

/** `RunWorkflow`: starts a child run and parks until it ends. */
export function runWorkflow(input: OpcodeInput): OpcodeEffect {
  const { fields } = input;
  try {
    const name = boundedText('childName', fields['childName']);
    if (name === undefined) return failedStep(input, 'childName is required');
    const app = boundedText('childApp', fields['childApp']);
    const runner = boundedText('childRunner', fields['childRunner']);
    const tags = parseTags(fields['childTags'], 'childTags');
    const data = input.raw('childData');
    const step = stepRow(input, { status: 'waiting', input: shown(name, data?.text, app, runner), elapsedMs: 0 });
    return { kind: 'sideEffect', step, sideEffect: { kind: 'child', name, app, runner, data, tags } };
  } catch (error) {
    if (error instanceof HoldfastError) return failedStep(input, error.message);
    throw error;
  }
}

/** 2.5: the input that a structural step shows. */
function shown(name: string, data: string | undefined, app: string | undefined, runner: string | undefined): string {
  const rest = JSON.stringify({ name, app, runner });
  return data === undefined ? rest : `${rest.slice(0, -1)},"data":${data}}`;
}
