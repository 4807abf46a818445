import { type Admission, admitWithin } from '../../admission/index.ts';
import type { StepRow } from '../commit.ts';
import { beginWaits } from './beginWaits.ts';
import { planChild } from './planChild.ts';
import { planEmit } from './planEmit.ts';
import { recordScore } from './recordScore.ts';
import { requestApproval } from './requestApproval.ts';
import { requestInference } from './requestInference.ts';
import { sendCustom } from './sendCustom.ts';
import type { PlannedIntake, SideEffectScene, SideEffectSetting, StepSideEffect } from './sideEffect.ts';

/** Intakes that are ready to be written, and failed steps whose intake was refused. */
export type Prepared = ReadonlyMap<StepSideEffect, PlannedIntake | StepRow>;

/**
 * Prepares events and child runs, before the transaction, because this may query the database. A
 * transaction that waits for a second connection could wait for ever (lock order, rule 1).
 */
export async function prepare(setting: SideEffectSetting, sideEffects: readonly StepSideEffect[]): Promise<Prepared> {
  const prepared = new Map<StepSideEffect, PlannedIntake | StepRow>();
  for (const each of sideEffects) {
    const { step, sideEffect } = each;
    if (sideEffect.kind === 'emit') prepared.set(each, await planEmit(setting, step, sideEffect.event));
    if (sideEffect.kind === 'child') prepared.set(each, await planChild(setting, step, sideEffect));
  }
  return prepared;
}

/**
 * Performs the side effects of an answer. Returns the steps to record, in order. One statement each
 * writes all events and child runs, all custom sends, and all model calls: a thousand children cost
 * one round trip.
 */
export async function perform(
  scene: SideEffectScene,
  sideEffects: readonly StepSideEffect[],
  prepared: Prepared,
): Promise<StepRow[]> {
  const sent = new Map([
    ...(await sendCustom(scene, sideEffects)),
    ...(await requestInference(scene, sideEffects)),
    ...(await beginWaits(scene, sideEffects)),
  ]);
  const plans: (PlannedIntake | StepRow)[] = [];
  for (const each of sideEffects) plans.push(prepared.get(each) ?? sent.get(each) ?? (await doAtOnce(scene, each)));
  const admissions = await record(scene, plans.filter(isIntake));
  return plans.map((each) => {
    if (!isIntake(each)) return each;
    const admission = admissions.get(each);
    if (!admission) throw new Error('an intake was left unanswered');
    return each.settle(admission);
  });
}

const isIntake = (plan: PlannedIntake | StepRow): plan is PlannedIntake => 'intake' in plan;

/** Whether the copy of the registry was a reason to refuse a side effect. */
export const isRefused = (prepared: Prepared): boolean => [...prepared.values()].some((each) => !isIntake(each));

/** Performs a side effect that is no intake, custom send, model call or wait. */
function doAtOnce(scene: SideEffectScene, { step, sideEffect }: StepSideEffect): Promise<StepRow> {
  switch (sideEffect.kind) {
    case 'approval':
      return requestApproval(scene, step, sideEffect);
    case 'score':
      return recordScore(scene, step, sideEffect);
    default:
      throw new Error(`a side effect was not prepared: ${sideEffect.kind}`);
  }
}

/** Passes the intakes through flow control, and writes those that it admits. */
async function record(
  { admission: scene, admissions }: SideEffectScene,
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
