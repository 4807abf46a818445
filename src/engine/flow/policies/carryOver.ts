import type { Queryable } from '../../db/index.ts';
import {
  type BufferChange,
  changePolicies,
  type PaceChange,
  type PolicyName,
  type PolicySet,
  type PolicySettings,
  type RateChange,
  rescaleRates,
  retimeBuffers,
  retimeStarts,
  type StartChange,
} from '../index.ts';
import { policyNames, policyOf } from './policies.ts';

/** A workflow whose definition has changed, with its policies before and after. */
export interface PolicyChange {
  app: string;
  name: string;
  former: PolicySet;
  current: PolicySet;
}

/** The maximum number of runs that one registration retimes. All others keep their start times. */
const maxRetimed = 100_000;

/**
 * Applies changed policies to waiting starts (2.2). Rates keep the number of turns they gave out.
 * Delayed starts and buffers get the times that the new policies would have set. All other policies
 * are read when they are used, so nothing is carried over. Transactions that use the former
 * policies have ended, so they write nothing afterwards. Returns whether anything may be due now.
 */
export async function carryOver(
  tx: Queryable,
  { projectId, changes, now }: { projectId: string; changes: readonly PolicyChange[]; now: Date },
): Promise<boolean> {
  const rates = changes.flatMap((change) => policyNames.flatMap((policy) => rateChange(change, policy)));
  const starts = changes.flatMap(startChange);
  const buffers = changes.flatMap((change) => policyNames.flatMap((policy) => bufferChange(change, policy)));
  const workflows = [...rates, ...buffers].map(({ app, name }) => ({ projectId, app, workflow: name }));
  if (workflows.length === 0) return false;
  await changePolicies(tx, { workflows });
  if (rates.length > 0) await rescaleRates(tx, { projectId, changes: rates, now });
  const retimed =
    starts.length > 0 ? await retimeStarts(tx, { projectId, changes: starts, limit: maxRetimed, at: now }) : [];
  const moved = buffers.length > 0 ? await retimeBuffers(tx, { projectId, changes: buffers, at: now }) : [];
  return retimed.length + moved.length > 0;
}

function rateChange<Name extends PolicyName>(change: PolicyChange, policy: Name): RateChange[] {
  const pace = paceChange(change, policy);
  return pace ? [{ policy, app: change.app, name: change.name, ...pace }] : [];
}

/** Undefined if the policy has no rate, was not set, or keeps its pace. */
function paceChange<Name extends PolicyName>({ former, current }: PolicyChange, name: Name): PaceChange | undefined {
  const { pace } = policyOf(name);
  const was: PolicySettings<Name> | undefined = former[name];
  const is: PolicySettings<Name> | undefined = current[name];
  const [before, after] = [was && pace?.(was), is && pace?.(is)];
  if (!before || (before.count === after?.count && before.perMs === after.perMs)) return undefined;
  return { former: before, current: after };
}

const samePace: PaceChange = { former: { count: 1, perMs: 1 }, current: { count: 1, perMs: 1 } };

/** Empty unless the workflow had a policy that delays starts, and that policy has changed. */
function startChange(change: PolicyChange): StartChange[] {
  const delaying = (how: 'turns' | 'refill') => policyNames.filter((name) => policyOf(name).delays === how);
  const [turns] = delaying('turns').flatMap((name) => paceChange(change, name) ?? []);
  const buckets = delaying('refill').filter((name) => change.former[name] !== undefined);
  if (!turns && !buckets.some((name) => paceChange(change, name))) return [];
  return [{ app: change.app, name: change.name, ...(turns ?? samePace), hadBucket: buckets.length > 0 }];
}

function bufferChange<Name extends PolicyName>(change: PolicyChange, policy: Name): BufferChange[] {
  const { wait } = policyOf(policy);
  const was: PolicySettings<Name> | undefined = change.former[policy];
  const is: PolicySettings<Name> | undefined = change.current[policy];
  const [before, after] = [was && wait?.(was), is && wait?.(is)];
  if (!before || (before.waitMs === after?.waitMs && before.maxSize === after.maxSize)) return [];
  const longerMs = after && after.waitMs - before.waitMs;
  return [{ policy, app: change.app, name: change.name, longerMs, maxSize: after?.maxSize }];
}
