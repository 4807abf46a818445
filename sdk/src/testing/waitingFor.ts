import type { OpcodeKind } from '../protocol.ts';
import type { WaitingFor } from '../records/runs.ts';
import type { StepRow } from './memo.ts';
import type { Run } from './run.ts';

const kinds: Partial<Record<OpcodeKind, WaitingFor['kind']>> = {
  Sleep: 'sleep',
  SleepUntil: 'sleep',
  WaitForEvent: 'event',
  RunWorkflow: 'child',
  Approval: 'approval',
  Infer: 'inference',
};

/**
 * Why a parked run waits. An open approval comes first, then a pass that is sent again, then the
 * branch that goes on first.
 */
export function waitingFor(run: Run): WaitingFor | undefined {
  if (run.state !== 'parked') return undefined;
  const branches = run.open.sort((a, b) => endOf(a) - endOf(b) || a.index - b.index);
  const asked = branches.find(({ op, status }) => op === 'Approval' && status === 'waiting');
  if (asked !== undefined) return { kind: 'approval', step: asked.name };
  if (run.retryMs !== undefined) return { kind: 'retry', ...until(run.retryMs), ...errorOf(run.retriesAfter) };
  const [first] = branches;
  const kind = first?.willRetry === true ? 'retry' : first && kinds[first.op];
  if (first === undefined || kind === undefined) return undefined;
  return { kind, step: first.name, ...until(first.runAfterMs), ...(kind === 'retry' && errorOf(first.error)) };
}

// The difference of two infinite times would be no number.
const endOf = ({ runAfterMs }: StepRow): number => runAfterMs ?? Number.MAX_SAFE_INTEGER;

const until = (ms: number | undefined): { until?: string } => (ms === undefined ? {} : { until: isoTime(ms) });

const errorOf = (error: WaitingFor['error']): Pick<WaitingFor, 'error'> =>
  error === undefined
    ? {}
    : { error: { message: error.message, ...(error.name !== undefined && { name: error.name }) } };

export const isoTime = (ms: number): string => new Date(ms).toISOString();
