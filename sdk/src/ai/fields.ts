import { asDeclared } from '../json/asDeclared.ts';

/** Members of an object of another library, none of which is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? asDeclared(value) : undefined;
}
