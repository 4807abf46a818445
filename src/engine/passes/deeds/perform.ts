import { type Admission, admitWithin } from '../../admission/index.ts';
import type { StepRow } from '../commit.ts';
import type { DeedScene, PlannedIntake, StepDeed } from './deed.ts';
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
  const admissions = await record(scene, planned);
  return plans.map((each) => {
    if (!isIntake(each)) return each;
    const admission = admissions.get(each);
    if (!admission) throw new Error('an intake was left unanswered');
    return each.settle(admission);
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

/** Takes the intakes through flow control and writes what it lets through. */
async function record(
  { admission: scene, admissions }: DeedScene,
  planned: readonly PlannedIntake[],
): Promise<Map<PlannedIntake, Admission>> {
  if (planned.length === 0) return new Map();
  const made = await admitWithin(
    scene,
    planned.map((each) => each.intake),
  );
  admissions.push(...made);
  return new Map(made.flatMap((each, position) => (planned[position] ? [[planned[position], each] as const] : [])));
}
