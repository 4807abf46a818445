import type { Frame } from '../bus.ts';
import { isTerminal, type RunStatus, runStatuses } from '../runs/index.ts';

/** The status that a `run_status` frame tells of; undefined for frames of other kinds. */
export function runStatusOf({ kind, payload }: Frame): RunStatus | undefined {
  if (kind !== 'run_status') return undefined;
  const value: unknown = JSON.parse(payload);
  const status = typeof value === 'object' && value !== null && 'status' in value ? value.status : undefined;
  return runStatuses.find((known) => known === status);
}

/** Whether this is the last frame of its run. */
export function endsRun(frame: Frame): boolean {
  const status = runStatusOf(frame);
  return status !== undefined && isTerminal(status);
}
