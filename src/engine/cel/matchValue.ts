import { createHash } from 'node:crypto';
import { hasUnsupportedCharacter } from '../json/index.ts';

/** Longer texts are hashed, to keep index rows small. */
const plainLength = 64;

/**
 * The text by which an index finds equal scalars. Values that CEL calls equal have equal text, in a
 * guard's literal and in a payload alike (`1` and `1.0`, `0` and `-0`). A prefix separates types.
 * Undefined for null, lists and objects.
 */
export function digestOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return digestOfText(value);
    case 'number':
      // Adding zero turns -0 into 0.
      return `n:${value + 0}`;
    case 'bigint':
      return `n:${Number(value)}`;
    case 'boolean':
      return `b:${value}`;
    default:
      return undefined;
  }
}

function digestOfText(text: string): string {
  // PostgreSQL's text cannot hold U+0000.
  if (text.length <= plainLength && !hasUnsupportedCharacter(text)) return `s:${text}`;
  return `h:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

/**
 * The value at a dotted path of keys, by the rules of guards: own members of objects, never an
 * index of a list. Undefined if there is none.
 */
export function valueAtPath(data: unknown, path: string): unknown {
  let value = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
