import { createHash } from 'node:crypto';
import { hasUnsupportedCharacter } from '../json/index.ts';

/** Longer texts are hashed, so that an index row stays small. */
const plainLength = 64;

/**
 * The text by which an index finds equal scalars: what CEL calls equal has equal text, whether it
 * comes from a guard's literal or from a payload (`1` and `1.0`, `0` and `-0`). Types differ by
 * their prefix. Undefined for null, lists, objects.
 */
export function digestOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return digestOfText(value);
    case 'number':
      // Adding zero makes -0 plain 0.
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
  // PostgreSQL's text holds no U+0000.
  if (text.length <= plainLength && !hasUnsupportedCharacter(text)) return `s:${text}`;
  return `h:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

/**
 * The value at a dotted path of keys, as a guard would find it: own members of objects only, never
 * an index of a list. Undefined where the path leads nowhere.
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
