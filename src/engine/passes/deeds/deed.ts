import type { Admission } from '../../admission/index.ts';
import type { OnTimeout } from '../../approvals/index.ts';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import type { ParsedEvent } from '../../events/index.ts';
import type { AdmissionTransaction } from '../../flow/index.ts';
import type { Intake } from '../../ingest/index.ts';
import type { RawJson } from '../../json/index.ts';
import type { ProjectSnapshot } from '../../model/index.ts';
import type { Tags } from '../../runs/index.ts';
import type { StepRow } from '../commit.ts';
import type { Pass } from '../pass.ts';

/**
 * What a step does besides being recorded. It happens in the transaction that records the step, and
 * so exactly once.
 */
export type Deed =
  | { kind: 'emit'; event: ParsedEvent }
  | {
      kind: 'child';
      name: string;
      /** Undefined: the app of the parent first, then any other. */
      app: string | undefined;
      runner: string | undefined;
      data: RawJson | undefined;
      /** The child's own; its parent's come beneath. */
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
  | { kind: 'score'; name: string; value: RawJson; data: RawJson };

/** A deed with the step that it belongs to. */
export interface StepDeed {
  step: StepRow;
  deed: Deed;
}

/**
 * A deed that is done by an intake, and the step as it is to be recorded once that is known to be
 * written.
 */
export interface PlannedIntake {
  intake: Intake;
  settle: (admission: Admission) => StepRow;
}

/** What deeds are prepared by. */
export interface DeedSetting {
  ctx: EngineContext;
  snapshot: ProjectSnapshot;
  pass: Pass;
}

/** Where a deed is done. */
export interface DeedScene extends DeedSetting {
  tx: Transaction;
  /** The transaction as flow control sees it. */
  admission: AdmissionTransaction;
  /** What came of events and child runs: events are to be delivered after the commit. */
  admissions: Admission[];
}

/** A step whose deed cannot be done: it fails for good, and the handler may catch it. */
export const refusedStep = (step: StepRow, message: string, name?: string): StepRow => ({
  ...step,
  status: 'failed',
  error: JSON.stringify({ name, message }),
});
