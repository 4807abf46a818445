import type { StepError } from '@holdfast/sdk/protocol';
import { isSameFailure, readStepError } from '../passes/index.ts';
import type { RunRow } from '../runs/index.ts';
import type { FailedStep, FailureKind, RunFailure } from './diagnosis.ts';
import type { FailureRow } from './sql/selectFailures.ts';

/** A failed run, without what other runs and its journal tell. */
export type Failed = Omit<RunFailure, 'logs' | 'alike'>;

interface FailedRow extends FailedStep {
  op: string;
  error: StepError | undefined;
  childRunId: string | undefined;
  approvalId: string | undefined;
}

/** Finds the kind of a failure, and the step that caused it, by the records of the run. */
export function failureOf(run: Pick<RunRow, 'attempt'>, row: FailureRow): Failed {
  const error = row.error === null ? undefined : readStepError(JSON.parse(row.error));
  const step = error && causing(error, stepsOf(row));
  const maxAttempts = row.maxAttempts ?? undefined;
  if (!step) {
    const kind = error ? kindOfRun(error, run.attempt, row) : 'handler';
    const approvalId = kind === 'approval_denied' ? (row.lastApprovalId ?? undefined) : undefined;
    return { kind, step: undefined, maxAttempts, error, childRunId: undefined, approvalId };
  }
  const { name, index, attempts, startedAt, endedAt, childRunId, approvalId } = step;
  return {
    kind: kindOfStep(step, maxAttempts),
    step: { name, index, attempts, startedAt, endedAt },
    ...{ maxAttempts, error, childRunId, approvalId },
  };
}

/** The failed step whose error the run has; the last one, if there are several. */
const causing = (error: StepError, steps: readonly FailedRow[]): FailedRow | undefined =>
  steps.find((step) => step.error && isSameFailure(error, step.error));

function stepsOf({ names, ...row }: FailureRow): FailedRow[] {
  return (names ?? []).flatMap((name, at) => {
    const startedAt = row.startedAt?.[at];
    if (!startedAt) return [];
    return {
      name,
      index: row.indexes?.[at] ?? 0,
      attempts: row.attempts?.[at] ?? 1,
      op: row.ops?.[at] ?? '',
      error: readStepError(JSON.parse(row.errors?.[at] ?? 'null')),
      startedAt,
      endedAt: row.endedAt?.[at],
      childRunId: row.children?.[at] ?? undefined,
      approvalId: row.approvals?.[at] ?? undefined,
    };
  });
}

const kindsByName: ReadonlyMap<string | undefined, FailureKind> = new Map([
  ['BudgetError', 'cap'],
  ['UnsupportedOpcodeError', 'unsupported_opcode'],
  ['FlowControlError', 'flow_control'],
  ['ApprovalTimeoutError', 'approval_timeout'],
  ['ChildCancelledError', 'child_cancelled'],
  ['NonDeterminismError', 'non_determinism'],
  ['RunTimeoutError', 'max_duration'],
]);

function kindOfStep({ op, error, childRunId, attempts }: FailedRow, maxAttempts: number | undefined): FailureKind {
  if (childRunId !== undefined) return error?.name === 'ChildCancelledError' ? 'child_cancelled' : 'child_failed';
  const known = kindsByName.get(error?.name);
  if (known) return known;
  if (op === 'Infer') return 'inference';
  return isSpent(attempts, maxAttempts) ? 'step_retries_spent' : 'step';
}

/** A failure that no step caused. Reasons of the service have no name. */
function kindOfRun({ name, message }: StepError, attempt: number, row: FailureRow): FailureKind {
  const known = kindsByName.get(name);
  if (known) return known;
  if (name === undefined) {
    const ours = kindsByBeginning.find(([beginning]) => message.startsWith(beginning));
    if (ours) return ours[1];
  }
  if (row.lastOp === 'Approval' && row.lastApproval === 'denied') return 'approval_denied';
  return isSpent(attempt, row.maxAttempts ?? undefined) ? 'handler_retries_spent' : 'handler';
}

const kindsByBeginning: readonly (readonly [string, FailureKind])[] = [
  ['runner did not answer: ', 'transport'],
  ['no live runner serves workflow ', 'no_runner'],
  ['runner rejected the request with status ', 'rejected'],
];

/** Whether there were several attempts, as many as the policy allows. */
const isSpent = (attempts: number, maxAttempts: number | undefined): boolean =>
  attempts > 1 && attempts >= (maxAttempts ?? attempts);
