import { insertUsage } from '../../ai/index.ts';
import { debitSpent } from '../../flow/policies/token-throttle/index.ts';
import type { AiCall } from '../commit.ts';
import type { SideEffectScene } from './sideEffect.ts';

/**
 * Records the spend of an answer's AI steps, in the transaction that records the steps. Each
 * attempt counts once, whether it succeeded, will be retried, or ends the run. Caps, budgets and
 * roll-ups read only these rows. New spend is debited from the run's bucket, if the workflow has
 * one (2.2 `tokenThrottle`).
 */
export async function recordUsage(
  { ctx, tx, pass, snapshot }: SideEffectScene,
  calls: readonly AiCall[],
): Promise<void> {
  if (calls.length === 0) return;
  const { projectId, runId, app, workflow } = pass;
  const rows = await insertUsage(tx, {
    projectId,
    runId,
    app,
    workflow,
    calls: calls.map(({ step: { index, attempt }, usage }) => ({ ...usage, stepIndex: index, attempt })),
    now: ctx.clock.sql(),
  });
  const definition = snapshot.workflow(app, workflow);
  const spent = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  if (definition) await debitSpent({ ctx, tx }, definition, { projectId, runId, spent });
}
