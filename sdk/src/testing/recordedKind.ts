import type { OpcodeKind } from '../protocol.ts';
import type { RunStep } from '../records/runs.ts';

/**
 * The kind of a recorded step; undefined if its row does not tell. Rows name no kinds, so this
 * looks at what only one kind of step has.
 */
export function recordedKind({ status, input, output, childRunId, eventName }: RunStep): OpcodeKind | undefined {
  if (childRunId !== undefined) return 'RunWorkflow';
  if (eventName !== undefined) return 'WaitForEvent';
  if (hasOnly(input, 'sleepMs')) return 'Sleep';
  if (hasOnly(input, 'sleepUntilMs')) return 'SleepUntil';
  if (hasOnly(input, 'model', 'offloaded')) return 'Infer';
  if (hasOnly(output, 'eventId', 'runIds')) return 'Emit';
  if (hasOnly(output, 'deliveryId')) return 'Webhook';
  if (hasOnly(output, 'scoreId')) return 'Score';
  if (hasFields(output, 'status', 'args', 'decidedBy', 'decidedVia')) return 'Approval';
  // A failed row of another kind may look like that of a body.
  return status === 'succeeded' || status === 'skipped' ? 'StepRun' : undefined;
}

const hasFields = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => name in value);

const hasOnly = (value: unknown, ...names: readonly string[]): boolean =>
  hasFields(value, ...names) && Object.keys(value ?? {}).length === names.length;

/** How people name a kind of step. */
export const kindNames: Readonly<Record<OpcodeKind, string>> = {
  StepRun: 'step.run',
  Sleep: 'step.sleep',
  SleepUntil: 'step.sleepUntil',
  WaitForEvent: 'step.waitForEvent',
  RunWorkflow: 'step.runWorkflow',
  Emit: 'step.emit',
  Webhook: 'step.webhook',
  Approval: 'step.approval',
  Infer: 'a model call',
  Score: 'step.score',
};
