import { type ParsedEvent, planEvent } from '../../events/index.ts';
import type { StepRow } from '../commit.ts';
import type { DeedScene, PlannedIntake } from './deed.ts';

/** Prepares an emitted event and what it triggers, one level deeper (6.1). The memo names both. */
export async function planEmit(
  { ctx, snapshot, pass }: DeedScene,
  step: StepRow,
  event: ParsedEvent,
): Promise<PlannedIntake> {
  const origin = { source: 'emit', sourceRunId: pass.runId, depth: pass.depth + 1 } as const;
  const { intake, eventId, triggered } = await planEvent(ctx, snapshot, event, origin);
  const runIds = triggered.flatMap((each) => each.runId ?? []);
  return {
    intake,
    settle: (outcome) => {
      const made = outcome.kind === 'deduped' ? { eventId: outcome.refId, runIds: [] } : { eventId, runIds };
      return { ...step, output: JSON.stringify(made) };
    },
  };
}
