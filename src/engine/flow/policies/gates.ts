import type { FlowControl } from '@holdfast/sdk/protocol';
import type { Transaction } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';
import {
  type DedupeKey,
  type Gates,
  type KeyedPayload,
  keepPolicies,
  type Origin,
  type PolicyName,
  type QueueShape,
  type RecordedStart,
  type WorkflowRef,
} from '../index.ts';
import { isPolicyName, policyOf } from './policies.ts';

/** The policies of a workflow, each with the scope of the payload. */
const scopedPolicies = (flowControl: FlowControl, payload: KeyedPayload): Gates =>
  Object.fromEntries(
    Object.entries(flowControl).flatMap(([name, policy]) => {
      const scope = payload.scopeAt('key' in policy ? policy.key : undefined);
      return isPolicyName(name) ? [[name, { ...policy, scope }]] : [];
    }),
  );

const unlimited = ({ maxDurationMs, cancellable }: RunLimits) => ({
  slot: undefined,
  slotScope: undefined,
  shiftMs: 0,
  tokenScope: undefined,
  gates: undefined,
  maxDurationMs,
  cancellable,
});

type RunLimits = Pick<QueueShape, 'maxDurationMs' | 'cancellable'>;

/**
 * The flow control of a new run: its queue columns, and the gates that a start of this origin must
 * pass. The gates are undefined if there are none.
 */
export function flowOf(
  definition: Definition,
  payload: KeyedPayload,
  { projectId, origin }: { projectId: string; origin: Origin },
): QueueShape & { gates: Gates | undefined } {
  // The end of the failed run is past, so no event cancels its follow-on run.
  const limits = {
    maxDurationMs: definition.maxDurationMs,
    cancellable: definition.cancelOn !== undefined && origin !== 'followOn',
  };
  if (!definition.flowControl) return unlimited(limits);
  const owner = { projectId, app: definition.app, workflow: definition.name };
  const scoped = scopedPolicies(definition.flowControl, payload);
  const queuedOf = <Name extends PolicyName>(name: Name): Partial<QueueShape> => {
    const policy = scoped[name];
    return (policy && policyOf(name).queued?.(policy, owner)) ?? {};
  };
  const names = namesIn(scoped);
  const applying = names.filter((name) => policyOf(name).origins?.includes(origin));
  const gates = applying.length > 0 ? Object.fromEntries(applying.map((name) => [name, scoped[name]])) : undefined;
  return Object.assign({ ...unlimited(limits), gates }, ...names.map(queuedOf));
}

const namesIn = (gates: Gates): PolicyName[] => Object.keys(gates).filter(isPolicyName);

/** Whether any policy of the workflow looks up a key in the payload of a run. */
export const hasKeys = ({ flowControl }: Definition): boolean =>
  Object.values(flowControl ?? {}).some((policy) => 'key' in policy && policy.key !== undefined);

/** The keys for which a start competes, at the door or at the start. */
export function contestedKeys(run: WorkflowRef, gates: Gates, at: 'door' | 'start'): DedupeKey[] {
  const keyAt = <Name extends PolicyName>(name: Name): DedupeKey | undefined => {
    const policy = gates[name];
    return policy && policyOf(name).contested?.({ ...run, policy }, at);
  };
  return namesIn(gates).flatMap((name) => keyAt(name) ?? []);
}

/**
 * Keeps registrations from changing the policies of starts that are passing the gates. The lock is
 * needed if a gate writes a turn, a start time or a flush time. Recording checks separately that
 * the starts were planned with the current policies.
 */
export async function holdSteady(tx: Transaction, starts: readonly Pick<RecordedStart, 'run' | 'gates'>[]) {
  const workflows = starts.flatMap(({ run, gates }) => (namesIn(gates).some(isCarriedOver) ? [run] : []));
  if (workflows.length > 0) await keepPolicies(tx, { workflows });
}

const isCarriedOver = (name: PolicyName): boolean =>
  policyOf(name).pace !== undefined || policyOf(name).wait !== undefined;
