import { insertUsage } from '../../ai/index.ts';
import { debitSpent } from '../../flow/policies/token-throttle/index.ts';
import type { AiCall } from '../commit.ts';
import type { DeedScene } from './deed.ts';

/**
 * Records the spend of the AI steps of an answer, in the transaction that records the steps: each
 * attempt counts once, whether it succeeded, is retried, or ends the run. Caps, budgets and the
 * roll-ups of spend read nothing else. New spend is debited from the run's token bucket.
 */
export async function recordUsage({ ctx, tx, pass, snapshot }: DeedScene, calls: readonly AiCall[]): Promise<void> {
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
