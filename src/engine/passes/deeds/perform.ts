import { type IntakeOutcome, ingestWithin } from '../../ingest/index.ts';
import type { StepRow } from '../commit.ts';
import { type DeedScene, type PlannedIntake, StaleSnapshot, type StepDeed } from './deed.ts';
import { planChild } from './planChild.ts';
import { planEmit } from './planEmit.ts';
import { recordScore } from './recordScore.ts';
import { requestApproval } from './requestApproval.ts';

/**
 * Does what the steps of an answer do, and answers the steps as they are to be recorded, in order. All events and child runs
 * are written in one statement: a thousand children cost one round trip.
 */
export async function perform(scene: DeedScene, deeds: readonly StepDeed[]): Promise<StepRow[]> {
  const plans: (PlannedIntake | StepRow)[] = [];
  for (const each of deeds) plans.push(await plan(scene, each));
  const planned = plans.filter(isIntake);
  const outcomes = await record(scene, planned);
  return plans.map((each) => {
    if (!isIntake(each)) return each;
    const outcome = outcomes.get(each);
    if (!outcome || outcome.kind === 'stale') throw new StaleSnapshot();
    return each.settle(outcome);
  });
}

const isIntake = (plan: PlannedIntake | StepRow): plan is PlannedIntake => 'intake' in plan;

/** Does at once what is no intake. */
function plan(scene: DeedScene, { step, deed }: StepDeed): Promise<PlannedIntake | StepRow> {
  switch (deed.kind) {
    case 'emit':
      return planEmit(scene, step, deed.event);
    case 'child':
      return planChild(scene, step, deed);
    case 'approval':
      return requestApproval(scene, step, deed);
    case 'score':
      return recordScore(scene, step, deed);
  }
}

/** Writes the intakes; those that were created are left on the scene, to be announced. */
async function record(
  { ctx, tx, intakes }: DeedScene,
  planned: readonly PlannedIntake[],
): Promise<Map<PlannedIntake, IntakeOutcome>> {
  if (planned.length === 0) return new Map();
  const outcomes = await ingestWithin(
    ctx,
    tx,
    planned.map((each) => each.intake),
  );
  const known = new Map<PlannedIntake, IntakeOutcome>();
  for (const [position, each] of planned.entries()) {
    const outcome = outcomes[position];
    if (outcome) known.set(each, outcome);
    if (outcome?.kind === 'created') intakes.push(each.intake);
  }
  return known;
}
