import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../../../src/engine/inference/index.ts';
import { isStrictSchema } from '../../../../src/workers/inference/provider/strictSchema.ts';

const jsonOf = (schema: z.ZodType): JsonSchema => JSON.parse(JSON.stringify(z.toJSONSchema(schema)));

test.each([
  ['an object', z.object({ a: z.string(), b: z.number().nullable() }), true],
  ['nested objects and lists', z.object({ a: z.array(z.object({ b: z.enum(['x', 'y']) })) }), true],
  ['an object with an optional property', z.object({ a: z.string().optional() }), false],
  ['an open object', z.looseObject({ a: z.string() }), false],
  ['a record', z.object({ a: z.record(z.string(), z.string()) }), false],
  ['a pattern that looks ahead', z.object({ a: z.email() }), false],
  ['a minimum length', z.object({ a: z.string().min(3) }), false],
  ['a list', z.array(z.string()), false],
])('%s may be decoded strictly: %#', (_, schema, isStrict) => {
  expect(isStrictSchema(jsonOf(schema))).toBe(isStrict);
});
