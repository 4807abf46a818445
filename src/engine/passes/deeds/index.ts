import type { StepRow } from '../commit.ts';
import type { DeedScene, StepDeed } from './deed.ts';
import { emitEvent } from './emitEvent.ts';
import { recordScore } from './recordScore.ts';
import { requestApproval } from './requestApproval.ts';
import { spawnChild } from './spawnChild.ts';

export { type Deed, type DeedScene, type RequestedApproval, StaleSnapshot, type StepDeed } from './deed.ts';
export { recordUsage } from './recordUsage.ts';

/** Does what a step does, and answers the step as it is to be recorded. */
export function perform(scene: DeedScene, { step, deed }: StepDeed): Promise<StepRow> {
  switch (deed.kind) {
    case 'emit':
      return emitEvent(scene, step, deed.event);
    case 'child':
      return spawnChild(scene, step, deed);
    case 'approval':
      return requestApproval(scene, step, deed);
    case 'score':
      return recordScore(scene, step, deed);
  }
}
