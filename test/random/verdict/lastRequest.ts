import { idOf } from '../../support/scriptedRunner.ts';
import { leavesOf, type Program } from '../program/program.ts';
import { isRefusal } from './judgeSpend.ts';
import type { RunRecord, StepRecord } from './runRecord.ts';

/** The invoke that the handler would get with the final memo. */
export function requestOf(run: RunRecord, program: Program, own: readonly StepRecord[]) {
  const steps: Record<string, { data: unknown } | { error: { message: string } } | { pending: true }> = {};
  for (const row of run.steps ?? []) steps[idOf(row.name)] = entryOf(row, program, own);
  return {
    steps,
    event: { name: '', ts: run.created_at },
    ctx: { runId: run.id, workflow: run.workflow, attempt: run.attempt, app: '', runner: '' },
  };
}

function entryOf(row: StepRecord, program: Program, own: readonly StepRecord[]) {
  if (row.status === 'succeeded') return { data: row.output };
  if (row.status === 'skipped') return { data: null };
  const isCarried = !own.some((each) => each.index === row.index);
  if (row.status === 'failed' && row.error && (isCarried || isFinal(row, program))) return { error: row.error };
  return { pending: true } as const;
}

/** The end of a run withdraws retries: such a failure was not final. */
export function isFinal(row: StepRecord, program: Program): boolean {
  const wasRetried = row.op === 'StepRun' || row.op === 'RunWorkflow';
  if (!wasRetried || row.attempt >= program.maxAttempts) return true;
  // A cancelled child is not retried. A child that failed because its own child was cancelled is.
  if (row.error?.name === 'ChildCancelledError' && row.run_after === null) return true;
  return (isRefused(row) && row.run_after === null) || isFatal(row, program);
}

/** A call whose child flow control withheld. */
export const isRefused = ({ op, status, child_run_id: childRunId }: StepRecord): boolean =>
  op === 'RunWorkflow' && status === 'failed' && childRunId === null;

/** A failure without retry, which ends the run. */
export function isFatal(row: StepRecord, program: Program): boolean {
  const node = leavesOf(program.nodes).find(({ name }) => name === row.name);
  return node?.kind === 'step' && row.status === 'failed' && (row.attempt === node.fatalAt || isRefusal(row));
}
