import type { FlowControl } from '@holdfast/sdk/protocol';
import { z } from 'zod';
import { policyNames, policyOf } from '../flow/policies/index.ts';
import { malformed } from './names.ts';

const flowControl = z.object(Object.fromEntries(policyNames.map((name) => [name, policyOf(name).settings.nullish()])));

/**
 * Reads the policies among a workflow entry's fields, as they were registered: defaults stay
 * unsaid, and so does what is `null`. Throws `invalid`, naming the field, on an unknown field of a
 * policy and on every value out of range. Undefined when no policy is set.
 */
export function parseFlowControl(entry: object, workflow: string): FlowControl | undefined {
  const parsed = flowControl.safeParse(entry);
  if (!parsed.success) throw flowControlError(parsed.error, workflow);
  const set = Object.entries(withoutNulls(parsed.data)).map(([name, policy]) => [name, withoutNulls(policy)]);
  return set.length === 0 ? undefined : Object.fromEntries(set);
}

const withoutNulls = <T>(fields: Record<string, T>): Record<string, NonNullable<T>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])),
  );

function flowControlError({ issues: [issue] }: z.ZodError, workflow: string): Error {
  const field = issue?.path.join('.') ?? 'flow control';
  if (issue?.code === 'unrecognized_keys')
    return malformed({ workflow, field: `${field}.${issue.keys[0]}` }, 'is unknown');
  if (issue?.code === 'invalid_type' && issue.path.length === 1)
    return malformed({ workflow, field }, 'must be an object');
  return malformed({ workflow, field }, issue?.message ?? 'is malformed');
}
