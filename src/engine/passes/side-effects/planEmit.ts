import type { Admission } from '../../admission/index.ts';
import { hasAddressee, incomingEvent, type ParsedEvent, planEvent, unregistered } from '../../events/index.ts';
import type { StepRow } from '../commit.ts';
import type { PlannedIntake, SideEffectSetting } from './sideEffect.ts';
import { refusedStep } from './sideEffect.ts';

/**
 * Prepares an emitted event and the runs that it triggers, one level deeper (6.1). The memo names
 * both. An event that `POST /events` would refuse for lack of a workflow fails its step.
 */
export async function planEmit(
  { ctx, snapshot, pass }: SideEffectSetting,
  step: StepRow,
  event: ParsedEvent,
): Promise<PlannedIntake | StepRow> {
  if (!hasAddressee(snapshot, event)) return refusedStep(step, unregistered);
  const origin = { source: 'emit', sourceRunId: pass.runId, depth: pass.depth + 1 } as const;
  const incoming = incomingEvent(ctx, event);
  const { intake } = await planEvent(ctx, snapshot, incoming, origin);
  return {
    intake,
    settle: (admission) => ({ ...step, output: JSON.stringify(madeBy(admission, incoming.eventId)) }),
  };
}

const madeBy = (admission: Admission, eventId: string): { eventId: string; runIds: string[] } =>
  admission.kind === 'deduped'
    ? { eventId: admission.refId, runIds: [] }
    : { eventId, runIds: admission.intake.runs.map((run) => run.runId) };
