import { z } from 'zod';
import { hasUnsupportedCharacter } from '../json/index.ts';
import { maxInt32 } from '../settings.ts';

/*
 * The fields of policies, with their limits and error texts (2.2), and the fields of their states
 * (4.9). GraphQL and REST show the same fields (`shownFields`).
 */

/** A century. Longer times would exceed the range of clocks and columns. */
const maxMs = 3_153_600_000_000;

const wholeNumber = (min: number, max: number, error: string) =>
  z.int({ error }).min(min, { error }).max(max, { error });

export const count = wholeNumber(1, maxInt32, `must be an integer from 1 to ${maxInt32}`);
const maxTokens = Number.MAX_SAFE_INTEGER;
export const tokenCount = wholeNumber(1, maxTokens, `must be an integer from 1 to ${maxTokens}`);
export const durationMs = wholeNumber(1, maxMs, `must be a positive integer of milliseconds, at most ${maxMs}`);
export const shiftMs = wholeNumber(-maxMs, maxMs, `must be an integer of milliseconds, at most ${maxMs}`);
export const cost = z.number({ error: 'must be a positive number' }).positive({ error: 'must be a positive number' });
export const percent = z
  .number({ error: 'must be a number from 1 to 99' })
  .min(1, { error: 'must be a number from 1 to 99' })
  .max(99, { error: 'must be a number from 1 to 99' });

/** A dotted path of field names without empty segments (2.2, keys). */
export const key = z
  .string({ error: 'must be a dotted path of field names' })
  .max(1000, { error: 'must be at most 1000 characters long' })
  .refine((path) => !hasUnsupportedCharacter(path), { error: 'has an unsupported character' })
  .refine((path) => path.split('.').every((segment) => segment !== ''), {
    error: 'must be a dotted path of field names, none of them empty',
  })
  .nullish();

/** The settings of `throttle` and `rateLimit`. */
export const rate = z.strictObject({ limit: count, perMs: durationMs, key }).meta({ title: 'FlowRate' });

/** `cap` and `budget` need at least one of their limits. */
export const hasLimit = ({ maxCost, maxTokens }: SpendLimits): boolean => typeof (maxCost ?? maxTokens) === 'number';
export const noLimit = { error: 'must set maxCost or maxTokens', path: [] };

interface SpendLimits {
  maxCost?: number | null | undefined;
  maxTokens?: number | null | undefined;
}

/** The workflow of a row in the flow state. */
export const ofWorkflow = { app: z.string(), workflow: z.string() };

/** The scope of a row in the flow state. */
export const ofScope = {
  ...ofWorkflow,
  key: z.string().optional().describe("The value at the policy's key; null for the whole workflow."),
};

/** A field as interfaces show it. */
export interface ShownField {
  name: string;
  kind: 'number' | 'text' | 'instant' | Choice;
  isOptional: boolean;
  description: string | undefined;
}

/** An enumeration; `title` names its type. */
interface Choice {
  title: string;
  words: readonly string[];
}

/** The fields of a policy or of a state, in order. */
export const shownFields = (fields: z.ZodObject): ShownField[] =>
  Object.entries(fields.shape).map(([name, field]) => {
    const { isOptional, inner } = unwrapped(field);
    return { name, kind: kindOf(inner), isOptional, description: titled(field).description };
  });

/** The title and the description of a schema. */
export const titled = (schema: z.core.$ZodType): { title: string; description: string | undefined } => {
  const { title = '', description } = z.globalRegistry.get(schema) ?? {};
  return { title, description };
};

function unwrapped(field: z.core.$ZodType): { isOptional: boolean; inner: z.core.$ZodType } {
  if (!(field instanceof z.ZodOptional || field instanceof z.ZodNullable)) return { isOptional: false, inner: field };
  return { isOptional: true, inner: unwrapped(field.unwrap()).inner };
}

function kindOf(field: z.core.$ZodType): ShownField['kind'] {
  if (field instanceof z.ZodNumber) return 'number';
  if (field instanceof z.ZodString) return 'text';
  if (field instanceof z.ZodDate) return 'instant';
  if (field instanceof z.ZodEnum) return { title: titled(field).title, words: field.options.map(String) };
  throw new Error('a field of a policy has a type that interfaces cannot show');
}
