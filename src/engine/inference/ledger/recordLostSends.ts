import { recordUsage } from '../../ai/index.ts';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import type { LostSendRow } from '../sql/freeProcesses.ts';
import { showLateSends } from './showLateSends.ts';

/**
 * Records sends whose end nobody knows as spend, because they may have been billed. Their tokens
 * are not known either, so no bucket is debited.
 */
export async function recordLostSends(
  ctx: EngineContext,
  tx: Transaction,
  sends: readonly LostSendRow[],
): Promise<void> {
  const first = new Map(sends.map((send) => [send.runId, send]));
  for (const { runId, projectId, app, workflow } of first.values()) {
    const spender = { projectId, runId, app, workflow, definition: undefined };
    const calls = sends.filter((send) => send.runId === runId).map(unmeasured);
    await recordUsage({ ctx, tx }, spender, calls);
  }
  for (const send of sends) await showLateSends(tx, send);
}

const unmeasured = ({ stepIndex, attempt, send, model }: LostSendRow) => ({
  ...{ stepIndex, attempt, send, model, unknown: true },
  ...{ tokensIn: undefined, tokensOut: undefined, cost: undefined, latencyMs: undefined, cacheHit: undefined },
});
