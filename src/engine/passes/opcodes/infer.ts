import { type ParsedRequest, parseInferRequest, RequestError } from '../../inference/index.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

/**
 * `Infer`: parks until the service has called the model (4.10). The step records only which model
 * it was, never the prompt (2.5 `input`).
 */
export function infer(input: OpcodeInput): OpcodeEffect {
  const data = input.raw('data');
  if (data === undefined) return failedStep(input, 'data: is required', inferenceError);
  const parsed = readRequest(input.fields['data']);
  if (typeof parsed === 'string') return failedStep(input, parsed, inferenceError);
  const { request } = parsed;
  const recorded = JSON.stringify({ model: request.model, offloaded: true });
  const step = stepRow(input, { status: 'waiting', input: recorded, elapsedMs: 0 });
  return { kind: 'sideEffect', step, sideEffect: { kind: 'infer', request, text: data.text } };
}

const inferenceError = 'InferenceError';

function readRequest(data: unknown): ParsedRequest | string {
  try {
    return parseInferRequest(data);
  } catch (error) {
    if (error instanceof RequestError) return error.message;
    throw error;
  }
}
