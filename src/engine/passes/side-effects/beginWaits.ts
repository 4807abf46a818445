import type { EngineContext } from '../../context.ts';
import { countEarlier, type EarlierEvent, findEarlier, lookBackSoon } from '../../events/index.ts';
import type { StepRow, WaitRow } from '../commit.ts';
import type { Pass } from '../pass.ts';
import type { SideEffect, SideEffectScene, StepSideEffect } from './sideEffect.ts';

type LookingBack = StepSideEffect & { sideEffect: Extract<SideEffect, { kind: 'wait' }> };

const isWait = (each: StepSideEffect): each is LookingBack => each.sideEffect.kind === 'wait';

/**
 * Searches the event log for waits that look back, before the transaction: guards take turns of the
 * event loop. If a search fails, the wait begins, and the log is searched again after the commit.
 */
export async function searchLog(
  ctx: EngineContext,
  { projectId, runId }: Pass,
  sideEffects: readonly StepSideEffect[],
): Promise<Map<StepSideEffect, EarlierEvent>> {
  const earlier = new Map<StepSideEffect, EarlierEvent>();
  for (const each of sideEffects.filter(isWait)) {
    const { since, eventIf = null, ...wait } = each.sideEffect.wait;
    if (!since) continue;
    try {
      const found = await findEarlier(ctx, { ...wait, projectId, runId, since, eventIf });
      if (found) earlier.set(each, found);
    } catch (error) {
      ctx.log.warn({ error, runId }, 'searching the events for a wait failed: retrying after its commit');
    }
  }
  return earlier;
}

/**
 * Ends the waits for which the log holds an event. The others begin, and the log is searched again.
 */
export async function beginWaits(
  { ctx, tx, pass, earlier }: SideEffectScene,
  sideEffects: readonly StepSideEffect[],
): Promise<Map<StepSideEffect, StepRow>> {
  const waits = sideEffects.filter(isWait);
  if (waits.length === 0) return new Map();
  await countEarlier(tx, pass.runId, [...new Set([...earlier.values()].map(({ eventId }) => eventId))]);
  if (waits.some((each) => !earlier.has(each))) tx.afterCommit(() => lookBackSoon(ctx, pass));
  return new Map(
    waits.map((each) => {
      const event = earlier.get(each);
      return [each, event ? { ...each.step, status: 'succeeded', runAfter: undefined, output: event.memo } : each.step];
    }),
  );
}

/** The waits that begin with the commit of these steps. */
export const begunWaits = (
  sideEffects: readonly StepSideEffect[],
  earlier: ReadonlyMap<StepSideEffect, EarlierEvent>,
): WaitRow[] => sideEffects.filter(isWait).flatMap((each) => (earlier.has(each) ? [] : each.sideEffect.wait));
