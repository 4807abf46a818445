import type { PassCommit } from './commit.ts';

/** The status that a commit gives its run; undefined while there is more to do at once. */
export function statusOf(commit: PassCommit): 'waiting' | 'needs_attention' | 'succeeded' | 'failed' | undefined {
  const { next } = commit;
  if (next.kind === 'keep') return undefined;
  return next.kind === 'finish' ? next.status : parkedStatus(commit);
}

/** A run that has an approval among its open branches needs somebody's attention. */
const parkedStatus = (commit: PassCommit): 'waiting' | 'needs_attention' =>
  isAsking(commit) ? 'needs_attention' : 'waiting';

/** Whether an approval is among the open branches, as far as the pass knows. */
export function isAsking({ pass, steps }: PassCommit): boolean {
  return [...pass.memo.open, ...steps].some((step) => step.op === 'Approval' && step.status === 'waiting');
}

/**
 * Whether the end of a run concerns others: its parent, children that are still under way, a
 * follow-on run.
 */
export function hasOutcome({ pass, next, steps }: PassCommit): boolean {
  if (next.kind !== 'finish') return false;
  if (pass.parentRunId !== undefined || (next.status === 'failed' && pass.hasOnFailure)) return true;
  return [...pass.memo.open, ...steps].some((step) => step.op === 'RunWorkflow');
}
