import type { Admission } from '../../admission/index.ts';
import type { OnTimeout } from '../../approvals/index.ts';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import type { EarlierEvent, ParsedEvent } from '../../events/index.ts';
import type { AdmissionTransaction } from '../../flow/index.ts';
import type { InferRequest } from '../../inference/index.ts';
import type { Intake } from '../../ingest/index.ts';
import type { RawJson } from '../../json/index.ts';
import type { ProjectSnapshot } from '../../model/index.ts';
import type { Tags } from '../../runs/index.ts';
import type { StepRow, WaitRow } from '../commit.ts';
import type { Pass } from '../pass.ts';

/**
 * A change outside its run that a step causes. The transaction that records the step also makes the
 * change, so it happens exactly once.
 */
export type SideEffect =
  | { kind: 'emit'; event: ParsedEvent }
  | {
      kind: 'child';
      name: string;
      /** Undefined: the app of the parent first, then any other. */
      app: string | undefined;
      runner: string | undefined;
      data: RawJson | undefined;
      /** The child's own tags; they override those of its parent. */
      tags: Tags | undefined;
    }
  | {
      kind: 'approval';
      tool: string;
      args: RawJson | undefined;
      risk: string;
      policy: string | undefined;
      summary: string | undefined;
      context: string | undefined;
      escalatesTo: string;
      onTimeout: OnTimeout;
      timeoutMs: number | undefined;
    }
  | { kind: 'score'; name: string; value: RawJson; data: RawJson }
  /** A wait that looks back: an event of the log ends it in the commit that would begin it. */
  | { kind: 'wait'; wait: WaitRow }
  | { kind: 'webhook'; url: string; origin: string; data: RawJson | undefined }
  /** `text` is the request as it arrived. */
  | { kind: 'infer'; request: InferRequest; text: string };

/** A side effect with the step that causes it. */
export interface StepSideEffect {
  step: StepRow;
  sideEffect: SideEffect;
}

/** A side effect that is an intake. `settle` completes the step once the intake is written. */
export interface PlannedIntake {
  intake: Intake;
  settle: (admission: Admission) => StepRow;
}

/** The input for the preparation of side effects. */
export interface SideEffectSetting {
  ctx: EngineContext;
  snapshot: ProjectSnapshot;
  pass: Pass;
}

/** The transaction in which side effects happen. */
export interface SideEffectScene extends SideEffectSetting {
  tx: Transaction;
  /** The transaction as flow control sees it. */
  admission: AdmissionTransaction;
  /** The admissions of events and child runs: events are delivered after the commit. */
  admissions: Admission[];
  /** The events of the log that end waits at their beginning. */
  earlier: ReadonlyMap<StepSideEffect, EarlierEvent>;
}

/** A step whose side effect is refused. It fails for good, and the handler may catch the error. */
export const refusedStep = (step: StepRow, message: string, name?: string): StepRow => ({
  ...step,
  status: 'failed',
  error: JSON.stringify({ name, message }),
});
