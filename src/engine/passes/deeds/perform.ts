import { type Admission, admitWithin } from '../../admission/index.ts';
import type { StepRow } from '../commit.ts';
import type { DeedScene, DeedSetting, PlannedIntake, StepDeed } from './deed.ts';
import { planChild } from './planChild.ts';
import { planEmit } from './planEmit.ts';
import { recordScore } from './recordScore.ts';
import { requestApproval } from './requestApproval.ts';

/** Deeds that are intakes, ready to be written, and steps that failed because theirs cannot be. */
export type Prepared = ReadonlyMap<StepDeed, PlannedIntake | StepRow>;

/**
 * Prepares events and child runs. Before the transaction: it may ask the database for other things,
 * and whoever held a connection while waiting for another would wait for ever once all do.
 */
export async function prepare(setting: DeedSetting, deeds: readonly StepDeed[]): Promise<Prepared> {
  const prepared = new Map<StepDeed, PlannedIntake | StepRow>();
  for (const each of deeds) {
    const { step, deed } = each;
    if (deed.kind === 'emit') prepared.set(each, await planEmit(setting, step, deed.event));
    if (deed.kind === 'child') prepared.set(each, await planChild(setting, step, deed));
  }
  return prepared;
}

/**
 * Does what the steps of an answer do, and answers the steps as they are to be recorded, in order.
 * All events and child runs are written in one statement: a thousand children cost one round trip.
 */
export async function perform(scene: DeedScene, deeds: readonly StepDeed[], prepared: Prepared): Promise<StepRow[]> {
  const plans: (PlannedIntake | StepRow)[] = [];
  for (const each of deeds) plans.push(prepared.get(each) ?? (await doAtOnce(scene, each)));
  const admissions = await record(scene, plans.filter(isIntake));
  return plans.map((each) => {
    if (!isIntake(each)) return each;
    const admission = admissions.get(each);
    if (!admission) throw new Error('an intake was left unanswered');
    return each.settle(admission);
  });
}

const isIntake = (plan: PlannedIntake | StepRow): plan is PlannedIntake => 'intake' in plan;

/** Whether a deed cannot be done by what the copy of the registry knows. */
export const isRefused = (prepared: Prepared): boolean => [...prepared.values()].some((each) => !isIntake(each));

/** Does what is no intake. */
function doAtOnce(scene: DeedScene, { step, deed }: StepDeed): Promise<StepRow> {
  switch (deed.kind) {
    case 'approval':
      return requestApproval(scene, step, deed);
    case 'score':
      return recordScore(scene, step, deed);
    default:
      throw new Error(`a deed was not prepared: ${deed.kind}`);
  }
}

/** Takes the intakes through flow control and writes what it lets through. */
async function record(
  { admission, admissions }: DeedScene,
  planned: readonly PlannedIntake[],
): Promise<Map<PlannedIntake, Admission>> {
  if (planned.length === 0) return new Map();
  const made = await admitWithin(
    admission,
    planned.map((each) => each.intake),
  );
  admissions.push(...made);
  return new Map(made.flatMap((each, position) => (planned[position] ? [[planned[position], each] as const] : [])));
}
