import { holdStarts } from '../budgets/index.ts';
import { asking, type Scene, type StartCandidate } from './candidate.ts';

/** 2.2 `budget`: what has just been made of a workflow that has nothing left to spend, begins paused. */
export async function holdSpent({ ctx, tx, afterCommit }: Scene, candidates: readonly StartCandidate[]): Promise<void> {
  const starts = asking(candidates, 'budget').map(({ candidate: { run } }) => run);
  for (const { projectId, runId, app, workflow } of await holdStarts(ctx, tx, starts)) {
    afterCommit.push(() => ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: [] }));
  }
}
