import { HoldfastError, invalid } from '../../engine/errors.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import { type Field, type Fields, type FieldValues, member, readFields } from './fields.ts';

/**
 * A list of objects with fields of their own. Throws `invalid`, which names the index and the
 * field.
 */
export const requiredObjects = <const F extends Fields>(
  fields: F,
  description: string,
  maxItems: number,
): Field<FieldValues<F>[]> => ({
  description,
  schema: { type: 'array', minItems: 1, maxItems },
  of: fields,
  required: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    if (value === undefined) throw invalid(`${name} is required`);
    if (!Array.isArray(value)) throw invalid(`${name} must be a list of objects`);
    if (value.length > maxItems) throw invalid(`${name} may hold at most ${maxItems} entries`);
    return value.map((each, index) => readObject(fields, body, { name, index, value: each }));
  },
});

function readObject<F extends Fields>(
  fields: F,
  body: JsonDocument,
  { name, index, value }: { name: string; index: number; value: unknown },
): FieldValues<F> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name}[${index}] must be an object`);
  const own: JsonDocument = {
    text: body.raw(name, index)?.text ?? '',
    value,
    raw: (...path) => body.raw(name, index, ...path),
  };
  try {
    return readFields(fields, own);
  } catch (error) {
    throw error instanceof HoldfastError ? invalid(`${name}[${index}]: ${error.message}`) : error;
  }
}
