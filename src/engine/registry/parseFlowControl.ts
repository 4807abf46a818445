import type { FlowControl } from '@holdfast/sdk/protocol';
import { z } from 'zod';
import { hasUnsupportedCharacter } from '../json/index.ts';
import { maxInt32 } from '../settings.ts';
import { malformed } from './names.ts';

/** Counters are 32-bit columns. */

/** A century: beyond it, instants leave what clocks and columns can say. */
const maxMs = 3_153_600_000_000;

const wholeNumber = (min: number, max: number, error: string) =>
  z.int({ error }).min(min, { error }).max(max, { error });

const count = wholeNumber(1, maxInt32, `must be an integer from 1 to ${maxInt32}`);
const maxTokens = Number.MAX_SAFE_INTEGER;
const tokenCount = wholeNumber(1, maxTokens, `must be an integer from 1 to ${maxTokens}`);
const durationMs = wholeNumber(1, maxMs, `must be a positive integer of milliseconds, at most ${maxMs}`);
const shiftMs = wholeNumber(-maxMs, maxMs, `must be an integer of milliseconds, at most ${maxMs}`);
const cost = z.number({ error: 'must be a positive number' }).positive({ error: 'must be a positive number' });
const percent = z
  .number({ error: 'must be a number from 1 to 99' })
  .min(1, { error: 'must be a number from 1 to 99' })
  .max(99, { error: 'must be a number from 1 to 99' });

/** A dotted path of field names, no segment of it empty (2.2, keys). */
const key = z
  .string({ error: 'must be a dotted path of field names' })
  .max(1000, { error: 'must be at most 1000 characters long' })
  .refine((path) => !hasUnsupportedCharacter(path), { error: 'has an unsupported character' })
  .refine((path) => path.split('.').every((segment) => segment !== ''), {
    error: 'must be a dotted path of field names, none of them empty',
  })
  .nullish();

const oneAxis = { error: 'must set maxCost or maxTokens', path: [] };

/** Some runners write `null` for what they leave out. */
type AsGiven<Policy> = { [Field in keyof Policy]: Policy[Field] | null };

/** 2.2, in the order in which policies are stored and read. */
const policies = {
  concurrency: z.strictObject({ limit: count, key }),
  throttle: z.strictObject({ limit: count, perMs: durationMs, key }),
  rateLimit: z.strictObject({ limit: count, perMs: durationMs, key }),
  debounce: z.strictObject({ periodMs: durationMs, key }),
  batch: z.strictObject({ maxSize: count, timeoutMs: durationMs, key }),
  priority: z.strictObject({ shiftMs }),
  singleton: z.strictObject({ key, mode: z.enum(['skip', 'cancel'], { error: 'must be skip or cancel' }).nullish() }),
  idempotency: z.strictObject({ key, periodMs: durationMs.nullish() }),
  cap: z.strictObject({ maxCost: cost.nullish(), maxTokens: tokenCount.nullish() }).refine(hasAxis, oneAxis),
  budget: z
    .strictObject({
      maxCost: cost.nullish(),
      maxTokens: tokenCount.nullish(),
      windowMs: durationMs,
      warnAtPct: percent.nullish(),
    })
    .refine(hasAxis, oneAxis),
  tokenThrottle: z.strictObject({ tokens: tokenCount, perMs: durationMs, key }),
} satisfies { [Policy in keyof FlowControl]: z.ZodType<AsGiven<FlowControl[Policy]>> };

export const isPolicyName = (name: string): boolean => Object.hasOwn(policies, name);

function hasAxis({ maxCost, maxTokens }: AsGiven<{ maxCost?: number | undefined; maxTokens?: number | undefined }>) {
  return typeof (maxCost ?? maxTokens) === 'number';
}

const flowControl = z.object(
  Object.fromEntries(Object.entries(policies).map(([name, schema]) => [name, schema.nullish()])),
);

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
