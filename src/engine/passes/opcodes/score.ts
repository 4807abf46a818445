import { HoldfastError } from '../../errors.ts';
import { type RawJson, readJson } from '../../json/index.ts';
import { boundedText } from '../../runs/index.ts';
import { isObject } from '../readAnswer.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

/** `Score`: records `{name, value, …}` for the run. */
export function score(input: OpcodeInput): OpcodeEffect {
  const data = input.raw('data');
  const fields = input.fields['data'];
  if (!data || !isObject(fields)) return failedStep(input, 'a score must be an object with a name and a value');
  try {
    const name = boundedText('name', fields['name']);
    if (name === undefined) return failedStep(input, 'a score needs a name');
    const value = rawValue(data);
    if (!value) return failedStep(input, 'the value of a score must be a number, a boolean or a string');
    const step = stepRow(input, { status: 'succeeded', input: data.text, elapsedMs: 0 });
    return { kind: 'sideEffect', step, sideEffect: { kind: 'score', name, value, data } };
  } catch (error) {
    if (error instanceof HoldfastError) return failedStep(input, error.message);
    throw error;
  }
}

/** The value as it was written; undefined if a score cannot have it. */
function rawValue(data: RawJson): RawJson | undefined {
  const value = readJson(data.text).raw('value');
  return value && ['number', 'boolean', 'string'].includes(typeof value.parse()) ? value : undefined;
}
