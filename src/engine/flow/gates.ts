import type { FlowControl } from '@holdfast/sdk/protocol';
import type { Definition } from '../model/index.ts';
import { digestOf, type KeyedPayload, type ScopeKey } from './scope.ts';

/** A policy together with the scope that a start falls into. */
export type Scoped<Policy> = Policy & { scope: ScopeKey };

/** A place that at most one unfinished run takes. */
export interface Place {
  /** Stands for workflow and scope. */
  digest: string;
  mode: 'skip' | 'cancel';
}

/** What may hold a start back, or put it off (2.2). */
export interface Gates {
  idempotency?: Scoped<{ periodMs: number }> | undefined;
  singleton?: Place | undefined;
  rateLimit?: Scoped<Rate> | undefined;
  debounce?: Scoped<{ periodMs: number }> | undefined;
  batch?: Scoped<{ maxSize: number; timeoutMs: number }> | undefined;
  throttle?: Scoped<Rate> | undefined;
  tokenThrottle?: Scoped<{ tokens: number; perMs: number }> | undefined;
  budget?: FlowControl['budget'];
}

export interface Rate {
  limit: number;
  perMs: number;
}

/** What a run takes along into the queue. */
export interface QueueShape {
  /** Digest of the scope in which `concurrency` counts the run; undefined without that policy. */
  slot: string | undefined;
  slotScope: ScopeKey | undefined;
  /** How much earlier it counts as enqueued (`priority`), in ms. */
  shiftMs: number;
  /** The scope from which its tokens are debited (`tokenThrottle`). */
  tokenScope: ScopeKey | undefined;
}

/**
 * Who asks for a start decides which policies may hold it back:
 * - `start`: an event, a schedule, somebody by hand: all of them.
 * - `debounced`, `batched`: such a start, once its buffer is flushed: what comes after that one.
 * - `call`: a run that waits for this one's result: it is neither merged with others nor put off
 *   for company.
 * - `fork`: a decision about one run of the past: nothing refuses it but an unfinished run in its
 *   place.
 * - `followOn`: handles a failure: always, and at once, unless there is nothing left to spend.
 */
export type Origin = 'start' | 'debounced' | 'batched' | 'call' | 'fork' | 'followOn';

const applying: Record<Origin, readonly (keyof Gates)[]> = {
  start: ['idempotency', 'singleton', 'rateLimit', 'debounce', 'batch', 'throttle', 'tokenThrottle', 'budget'],
  debounced: ['batch', 'singleton', 'throttle', 'tokenThrottle', 'budget'],
  batched: ['singleton', 'throttle', 'tokenThrottle', 'budget'],
  call: ['idempotency', 'singleton', 'rateLimit', 'throttle', 'tokenThrottle', 'budget'],
  fork: ['singleton', 'throttle', 'tokenThrottle', 'budget'],
  followOn: ['budget'],
};

const defaultIdempotencyMs = 86_400_000;

/** The gates that a start of this origin has to pass; undefined when there are none. */
export function gatesOf(definition: Definition, payload: KeyedPayload, origin: Origin): Gates | undefined {
  const all = allGates(definition, payload);
  const names = all ? applying[origin].filter((name) => all[name] !== undefined) : [];
  return all && names.length > 0 ? Object.fromEntries(names.map((name) => [name, all[name]])) : undefined;
}

function allGates({ app, name, flowControl }: Definition, payload: KeyedPayload): Gates | undefined {
  if (!flowControl) return undefined;
  const { idempotency, singleton } = flowControl;
  const scoped = <Policy extends { key?: string | undefined }>(
    policy: Policy | undefined,
  ): Scoped<Policy> | undefined => policy && { ...policy, scope: payload.scopeAt(policy.key) };
  return {
    idempotency: scoped(idempotency && { ...idempotency, periodMs: idempotency.periodMs ?? defaultIdempotencyMs }),
    singleton: singleton && {
      digest: digestOf('singleton', app, name, payload.scopeAt(singleton.key)),
      mode: singleton.mode ?? 'cancel',
    },
    rateLimit: scoped(flowControl.rateLimit),
    debounce: scoped(flowControl.debounce),
    batch: scoped(flowControl.batch),
    throttle: scoped(flowControl.throttle),
    tokenThrottle: scoped(flowControl.tokenThrottle),
    budget: flowControl.budget,
  };
}

/** Where a run of the workflow stands in the queue, and what counts it. */
export function shapeOf(projectId: string, { app, name, flowControl }: Definition, payload: KeyedPayload): QueueShape {
  const { concurrency, priority, tokenThrottle } = flowControl ?? {};
  const slotScope = concurrency && payload.scopeAt(concurrency.key);
  return {
    slot: slotScope === undefined ? undefined : slotOf(projectId, app, name, slotScope),
    slotScope,
    shiftMs: priority?.shiftMs ?? 0,
    tokenScope: tokenThrottle && payload.scopeAt(tokenThrottle.key),
  };
}

/** The digest of a `concurrency` scope. */
export const slotOf = (projectId: string, app: string, workflow: string, scope: ScopeKey): string =>
  digestOf('concurrency', projectId, app, workflow, scope);

/** Whether some policy of the workflow looks up a key in what a run is given. */
export const hasKeys = ({ flowControl }: Definition): boolean =>
  Object.values(flowControl ?? {}).some((policy) => 'key' in policy && policy.key !== undefined);
