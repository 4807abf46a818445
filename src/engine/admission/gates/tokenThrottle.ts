import { type BucketRef, findDrained } from '../../flow/index.ts';
import { asking, type StartGate } from '../candidate.ts';

/**
 * 2.2 `tokenThrottle`: what starts while its bucket is drained gets a start time, at which there is
 * something in it again. AI steps that settle meanwhile may drain it further: that is looked at
 * once more when the time comes (`heldUntil`).
 */
export const tokenThrottle: StartGate = async ({ ctx, tx }, candidates) => {
  const asks = asking(candidates, 'tokenThrottle');
  if (asks.length === 0) return;
  const buckets = new Map<string, BucketRef>();
  const names = asks.map(({ candidate: { run }, policy: { scope, perMs } }) => {
    const { projectId, app, workflow } = run;
    const name = JSON.stringify([projectId, app, workflow, scope]);
    buckets.set(name, { projectId, app, workflow, scope, perMs });
    return name;
  });
  const known = [...buckets.keys()];
  const drained = await findDrained(tx, { buckets: [...buckets.values()], now: ctx.clock.sql() });
  const refills = new Map(drained.map((row) => [known[row.ord], row.refilledAt]));
  asks.forEach(({ candidate }, position) => {
    const refilledAt = refills.get(names[position]);
    if (refilledAt && !(candidate.startAt && candidate.startAt >= refilledAt)) candidate.startAt = refilledAt;
  });
};
