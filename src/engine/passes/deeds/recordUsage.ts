import { insertUsage } from '../../ai/index.ts';
import type { AiCall } from '../commit.ts';
import type { DeedScene } from './deed.ts';

/**
 * Keeps what the AI steps of an answer spent, in the transaction that records them: each attempt counts once, whether it
 * succeeded, is tried again, or ends the run. Caps, budgets and the roll-ups of spend read nothing else.
 */
export async function recordUsage({ ctx, tx, pass }: DeedScene, calls: readonly AiCall[]): Promise<void> {
  if (calls.length === 0) return;
  const { projectId, runId, app, workflow } = pass;
  await insertUsage(tx, {
    projectId,
    runId,
    app,
    workflow,
    calls: calls.map(({ step: { index, attempt }, usage }) => ({ ...usage, stepIndex: index, attempt })),
    now: ctx.clock.sql(),
  });
}
