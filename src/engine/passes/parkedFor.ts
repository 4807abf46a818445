import { type WaitError, waitError, waitKindOf } from '../runs/index.ts';
import { isUndecided, type PassCommit, type RunAfter } from './commit.ts';

/** Why a commit parks its run: JSON of a `WaitingFor`. The statement adds its end. */
export interface ParkedFor {
  text: string;
  until: RunAfter | undefined;
}

interface Branch {
  op: string;
  name: string;
  index: number;
  willRetry: boolean;
  until: RunAfter | undefined;
  error: string | undefined;
}

/**
 * The branch that needs help comes first: a runner that does not answer, then an open approval.
 * Then comes a pass that is sent again, as it holds all steps, and then the branch that goes on
 * first. Undefined: the commit parks nothing.
 */
export function parkedFor({ pass, next, steps }: PassCommit): ParkedFor | undefined {
  if (next.kind !== 'park' && next.kind !== 'retry') return undefined;
  const reported = new Set(steps.map(({ stepId }) => stepId));
  const branches: Branch[] = [
    ...pass.memo
      .pending(pass.dbNow)
      .filter(({ stepId }) => !reported.has(stepId))
      .map((step) => ({ ...step, until: step.runAfter && { at: step.runAfter } })),
    ...steps
      .filter(({ status, willRetry }) => status === 'waiting' || willRetry)
      .map((step) => ({ ...step, until: step.runAfter })),
  ];
  const again = next.kind === 'retry' ? next : undefined;
  const asked = branches
    .filter((step) => isUndecided({ ...step, status: 'waiting' }))
    .sort((a, b) => a.index - b.index)[0];
  if (asked && again?.because.kind !== 'transport') return { text: textOf('approval', asked.name), until: undefined };
  if (again) return { text: textOf(again.because.kind, undefined, again.because.error), until: { inMs: again.inMs } };
  return branchText(soonest(branches, pass.dbNow));
}

function branchText(branch: Branch | undefined): ParkedFor | undefined {
  const kind = branch && waitKindOf(branch);
  if (!kind) return undefined;
  const error = kind === 'retry' && branch.error !== undefined ? waitError(JSON.parse(branch.error)) : undefined;
  return { text: textOf(kind, branch.name, error), until: branch.until };
}

const textOf = (kind: string, step: string | undefined, error?: WaitError): string =>
  JSON.stringify({ kind, step, error });

/** The branch that goes on first; those without a time come last, in the order of their index. */
function soonest(branches: readonly Branch[], now: Date): Branch | undefined {
  const timeOf = ({ until }: Branch): number => {
    if (!until) return Number.POSITIVE_INFINITY;
    return 'at' in until ? until.at.getTime() - now.getTime() : until.inMs;
  };
  let first: Branch | undefined;
  for (const branch of branches) {
    if (!first || timeOf(branch) < timeOf(first) || (timeOf(branch) === timeOf(first) && branch.index < first.index))
      first = branch;
  }
  return first;
}
