import { recordControlWithin } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import { withoutQuery } from '../../net/index.ts';
import { bumpRegistry } from '../../runners/index.ts';
import { disableFailingEndpoint, lockEnabledEndpoint } from './sql/disableFailingEndpoint.ts';
import { tallyOf } from './tally.ts';

/**
 * Disables an endpoint that has failed for longer than the limit, without a success. Returns
 * whether this call did it: of several, one does. Its deliveries are skipped from now on.
 */
export function disableIfFailing(
  ctx: EngineContext,
  { projectId, endpointId }: { projectId: string; endpointId: string },
): Promise<boolean> {
  const disableAfterMs = ctx.settings.webhookDisableAfterMs;
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.sql();
    if ((await lockEnabledEndpoint(tx, { projectId, endpointId })).length === 0) return false;
    const [disabled] = await disableFailingEndpoint(tx, { endpointId, disableAfterMs, now });
    if (!disabled) return false;
    const { name, url, failures, failingSince } = disabled;
    const detail = { endpointId, name: name ?? undefined, failures, failingSince: failingSince.toISOString() };
    await recordControlWithin(ctx, tx, {
      projectId,
      action: 'disable_webhook_endpoint',
      actor: 'system:webhooks',
      detail,
    });
    await bumpRegistry(tx, { projectId });
    tx.afterCommit(() => {
      tallyOf(ctx).disabled += 1;
      ctx.log.warn({ projectId, ...detail, url: withoutQuery(url) }, 'webhook endpoint disabled: it kept failing');
      ctx.bus.emit('registry.changed', { projectId });
    });
    return true;
  });
}
