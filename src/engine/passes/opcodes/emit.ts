import { HoldfastError } from '../../errors.ts';
import { parseEvent } from '../../events/index.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

/** `Emit`: records an event like `POST /events`, once, in the transaction that settles the step. */
export function emit(input: OpcodeInput, app: string): OpcodeEffect {
  const { eventName, dedupeId, targetApp, tags, session } = input.fields;
  const data = input.raw('data');
  try {
    const event = parseEvent({ name: eventName, app, data, dedupeId, targetApp, tags, session });
    const step = stepRow(input, { status: 'succeeded', input: data?.text, elapsedMs: 0 });
    return { kind: 'sideEffect', step, sideEffect: { kind: 'emit', event } };
  } catch (error) {
    if (error instanceof HoldfastError) return failedStep(input, error.message);
    throw error;
  }
}
