import { insertUsage } from '../../ai/index.ts';
import { keepPolicies } from '../../flow/index.ts';
import { debitTokens } from '../../flow/policies/token-throttle/index.ts';
import type { AiCall } from '../commit.ts';
import type { DeedScene } from './deed.ts';

/**
 * Keeps what the AI steps of an answer spent, in the transaction that records them: each attempt
 * counts once, whether it succeeded, is tried again, or ends the run. Caps, budgets and the
 * roll-ups of spend read nothing else. What is new is taken out of the run's bucket, if the
 * workflow has some now (2.2 `tokenThrottle`).
 */
export async function recordUsage({ ctx, tx, pass, snapshot }: DeedScene, calls: readonly AiCall[]): Promise<void> {
  if (calls.length === 0) return;
  const { projectId, runId, app, workflow } = pass;
  const now = ctx.clock.sql();
  const rows = await insertUsage(tx, {
    projectId,
    runId,
    app,
    workflow,
    calls: calls.map(({ step: { index, attempt }, usage }) => ({ ...usage, stepIndex: index, attempt })),
    now,
  });
  const hasBucket = snapshot.workflow(app, workflow)?.flowControl?.tokenThrottle !== undefined;
  const spent = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  if (!hasBucket || spent === 0) return;
  await keepPolicies(tx, { workflows: [{ projectId, app, workflow }] });
  await debitTokens(tx, { projectId, app, workflow, runId, spent, now });
}
