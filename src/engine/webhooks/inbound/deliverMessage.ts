import type { Admission } from '../../admission/index.ts';
import type { EngineContext } from '../../context.ts';
import { deliverEvent } from '../../events/index.ts';
import { perEngine } from '../../perEngine.ts';

/** Look-ups of waiters that no answer waits for. */
const maxUnderWay = 1_000;

const underWayOf = perEngine(() => ({ count: 0 }));

/**
 * Wakes the waiters of a recorded event. Never throws: a sweep repeats a failed look-up, and the
 * message is recorded in any case.
 */
export async function deliver(ctx: EngineContext, admission: Admission): Promise<void> {
  if (admission.kind === 'deduped' || !admission.intake.event) return;
  const { projectId, eventId, app, name } = admission.intake.event;
  // Without the payload: the look-ups may queue.
  await deliverEvent(ctx, { projectId, eventId, app, name }).catch((error: unknown) => {
    ctx.log.warn({ err: error, eventId }, 'waking the waiters of an event failed: retrying later');
  });
}

/**
 * The same in the background, as the answer to a message does not tell of waiters. Waits if too
 * many look-ups are under way, so that senders cannot outrun them.
 */
export async function deliverSoon(ctx: EngineContext, admission: Admission): Promise<void> {
  const underWay = underWayOf(ctx);
  underWay.count += 1;
  const isBehind = underWay.count > maxUnderWay;
  const delivered = deliver(ctx.root ?? ctx, admission).finally(() => {
    underWay.count -= 1;
  });
  if (isBehind) await delivered;
}
