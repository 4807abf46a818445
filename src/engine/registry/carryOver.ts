import type { FlowControl } from '@holdfast/sdk/protocol';
import type { Queryable } from '../db/index.ts';
import { changePolicies } from '../flow/index.ts';
import type { Pace, PaceChange } from './sql/pace.ts';
import { type RateChange, rescaleRates } from './sql/rescaleRates.ts';
import { type BufferChange, retimeBuffers } from './sql/retimeBuffers.ts';
import { retimeStarts, type StartChange } from './sql/retimeStarts.ts';

/** A workflow whose definition has changed, and its policies before and now. */
export interface PolicyChange {
  app: string;
  name: string;
  former: FlowControl;
  current: FlowControl;
}

/** Runs that one registration gives another start time; more of them keep theirs. */
const maxRetimed = 100_000;

/**
 * Has policies that change apply to what already waits (2.2): rates keep the turns that were given
 * out, starts that were put off and buffers get the times that they would have had. Other policies
 * need nothing carried over: they are looked at when it matters. Whoever goes by the former ones
 * has ended before, so that nothing is written behind its back. Answers whether something may be
 * due now.
 */
export async function carryOver(
  tx: Queryable,
  { projectId, changes, now }: { projectId: string; changes: readonly PolicyChange[]; now: Date },
): Promise<boolean> {
  const rates = changes.flatMap(rateChanges);
  const starts = changes.flatMap(startChange);
  const buffers = changes.flatMap(bufferChanges);
  const workflows = [...rates, ...buffers].map(({ app, name }) => ({ projectId, app, workflow: name }));
  if (workflows.length === 0) return false;
  await changePolicies(tx, { workflows });
  if (rates.length > 0) await rescaleRates(tx, { projectId, changes: rates, now });
  const retimed =
    starts.length > 0 ? await retimeStarts(tx, { projectId, changes: starts, limit: maxRetimed, at: now }) : [];
  const moved = buffers.length > 0 ? await retimeBuffers(tx, { projectId, changes: buffers, at: now }) : [];
  return retimed.length + moved.length > 0;
}

const paces = {
  throttle: ({ throttle }: FlowControl) => throttle && { count: throttle.limit, perMs: throttle.perMs },
  rateLimit: ({ rateLimit }: FlowControl) => rateLimit && { count: rateLimit.limit, perMs: rateLimit.perMs },
  tokenThrottle: ({ tokenThrottle }: FlowControl) =>
    tokenThrottle && { count: tokenThrottle.tokens, perMs: tokenThrottle.perMs },
} satisfies Record<RateChange['policy'], (policies: FlowControl) => Pace | undefined>;

const ratePolicies = Object.keys(paces) as RateChange['policy'][];

const rateChanges = (change: PolicyChange): RateChange[] =>
  ratePolicies.flatMap((policy) => {
    const pace = paceChange(change, policy);
    return pace ? [{ policy, app: change.app, name: change.name, ...pace }] : [];
  });

/** Undefined where the policy was not there, or goes on as it was. */
function paceChange({ former, current }: PolicyChange, policy: RateChange['policy']): PaceChange | undefined {
  const [before, after] = [paces[policy](former), paces[policy](current)];
  if (!before || (before.count === after?.count && before.perMs === after.perMs)) return undefined;
  return { former: before, current: after };
}

const samePace: PaceChange = { former: { count: 1, perMs: 1 }, current: { count: 1, perMs: 1 } };

/** Of those only that had a policy which puts starts off. */
function startChange(change: PolicyChange): StartChange[] {
  const turns = paceChange(change, 'throttle');
  if (!turns && !paceChange(change, 'tokenThrottle')) return [];
  const hadBucket = change.former.tokenThrottle !== undefined;
  return [{ app: change.app, name: change.name, ...(turns ?? samePace), hadBucket }];
}

function bufferChanges({ app, name, former, current }: PolicyChange): BufferChange[] {
  const changes: BufferChange[] = [];
  const longerMs = (before: number, after: number | undefined) => (after === undefined ? undefined : after - before);
  if (former.debounce && former.debounce.periodMs !== current.debounce?.periodMs) {
    const longer = longerMs(former.debounce.periodMs, current.debounce?.periodMs);
    changes.push({ policy: 'debounce', app, name, longerMs: longer, maxSize: undefined });
  }
  const [before, after] = [former.batch, current.batch];
  if (before && (before.timeoutMs !== after?.timeoutMs || before.maxSize !== after.maxSize)) {
    const longer = longerMs(before.timeoutMs, after?.timeoutMs);
    changes.push({ policy: 'batch', app, name, longerMs: longer, maxSize: after?.maxSize });
  }
  return changes;
}
