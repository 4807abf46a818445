import { float8, int, json, text, uuid } from '../../db/index.ts';
import type { PassCommit, StepRow } from '../commit.ts';
import type { Pass } from '../pass.ts';

export interface Commits {
  commits: readonly PassCommit[];
}

interface OfPass {
  pass: Pass;
}

/** The lease of a commit. It changes nothing once another process holds the run. */
export const fence = {
  runId: uuid.of(({ pass }: OfPass) => pass.runId),
  leaseId: uuid.of(({ pass }: OfPass) => pass.dispatcherId),
  claimNo: int.of(({ pass }: OfPass) => pass.claimNo),
};

interface OfStep {
  step: StepRow;
}

/** The columns that every step of a commit fills. */
export const stepColumns = {
  index: int.of(({ step }: OfStep) => step.index),
  attempt: int.of(({ step }: OfStep) => step.attempt),
  stepId: text.of(({ step }: OfStep) => step.stepId),
  name: text.of(({ step }: OfStep) => step.name),
  op: text.of(({ step }: OfStep) => step.op),
  status: text.of(({ step }: OfStep) => step.status),
  input: json.orNull.of(({ step }: OfStep) => step.input),
  output: json.orNull.of(({ step }: OfStep) => step.output),
  error: json.orNull.of(({ step }: OfStep) => step.error),
  ai: json.orNull.of(({ step }: OfStep) => step.ai),
  usage: json.orNull.of(({ step }: OfStep) => step.usage),
  elapsedMs: float8.of(({ step }: OfStep) => step.elapsedMs),
};

/** A step, with the position of its commit among those that are written together. */
export interface CommittedStep extends OfStep {
  ord: number;
  /** Its position among the steps of its commit, from 0. */
  position: number;
}

export const stepsOf = ({ commits }: Commits): CommittedStep[] =>
  commits.flatMap(({ steps }, ord) => steps.map((step, position) => ({ ord, position, step })));
