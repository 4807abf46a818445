import type { FlowControl } from './flowControl.ts';
import { type FieldsOf, refuseUnknown } from './knownFields.ts';
import type { RetryPolicy, StepManifestEntry } from './protocol.ts';
import type { CronTrigger, EventTrigger } from './trigger.ts';
import type { WorkflowOptions } from './workflow.ts';

/** The fields that parts of a definition may have. The compiler keeps these lists complete. */

export const eventFields: FieldsOf<EventTrigger> = { event: true, if: true };
export const cronFields: FieldsOf<CronTrigger> = { cron: true };
export const eventTypeFields = { name: true, schema: true } as const;
const manifestFields: FieldsOf<StepManifestEntry> = { name: true, description: true, hidden: true };

export const retryFields: FieldsOf<RetryPolicy> = {
  maxAttempts: true,
  backoff: true,
  initialDelayMs: true,
  maxDelayMs: true,
};

const rateFields: PolicyFields['throttle'] = { limit: true, perMs: true, key: true };
const policyFields: PolicyFields = {
  concurrency: { limit: true, key: true },
  throttle: rateFields,
  rateLimit: rateFields,
  debounce: { periodMs: true, key: true },
  batch: { maxSize: true, timeoutMs: true, key: true },
  priority: { shiftMs: true },
  singleton: { key: true, mode: true },
  idempotency: { key: true, periodMs: true },
  cap: { maxCost: true, maxTokens: true },
  budget: { maxCost: true, maxTokens: true, windowMs: true, warnAtPct: true },
  tokenThrottle: { tokens: true, perMs: true, key: true },
};

type PolicyFields = { readonly [Policy in keyof FlowControl]-?: FieldsOf<NonNullable<FlowControl[Policy]>> };

const policyNames: FieldsOf<FlowControl> = {
  concurrency: true,
  throttle: true,
  rateLimit: true,
  debounce: true,
  batch: true,
  priority: true,
  singleton: true,
  idempotency: true,
  cap: true,
  budget: true,
  tokenThrottle: true,
};

const optionFields: FieldsOf<WorkflowOptions & { id: string; name: string }> = {
  id: true,
  name: true,
  triggers: true,
  retry: true,
  stepTimeout: true,
  maxDuration: true,
  cancelOn: true,
  steps: true,
  onFailure: true,
  ...policyNames,
};

/**
 * Throws a `TypeError` that names the first unknown field of a workflow's options, its retry
 * policy, its flow-control policies or its step manifest.
 */
export function refuseUnknownOptions(workflow: string, options: Omit<WorkflowOptions, 'onFailure'>): void {
  const subject = `workflow "${workflow}"`;
  refuseUnknown(options, optionFields, subject);
  if (isGiven(options.retry)) refuseUnknown(options.retry, retryFields, `the retry of ${subject}`);
  for (const [policy, fields] of Object.entries(policyFields)) {
    const given: unknown = Object.entries(options).find(([name]) => name === policy)?.[1];
    if (isGiven(given)) refuseUnknown(given, fields, `the ${policy} of ${subject}`);
  }
  for (const [index, step] of (options.steps ?? []).entries())
    if (typeof step !== 'string') refuseUnknown(step, manifestFields, `steps[${index}] of ${subject}`);
}

/** Like the service, which takes null for an absent policy. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
