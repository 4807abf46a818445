import { RawJson, skipSpace, skipString, skipValue, stringifyRaw } from '../../engine/json/index.ts';
import { visible } from './visible.ts';

/**
 * The JSON text of the value at a path of a body; undefined if there is none. A value of a payload
 * has its stored text. Payloads are scanned, not parsed, so that no copy of them is made.
 */
export function findSource(body: unknown, path: readonly string[]): string | undefined {
  let value = body;
  for (const [at, segment] of path.entries()) {
    if (value instanceof RawJson) return findInText(value.text, path.slice(at));
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    if (Array.isArray(value) && !isIndex(segment)) return undefined;
    value = Reflect.get(value, segment);
  }
  return value === undefined ? undefined : stringifyRaw(value);
}

const isIndex = (segment: string): boolean => /^(0|[1-9]\d{0,8})$/.test(segment);

function findInText(text: string, path: readonly string[]): string | undefined {
  let start = skipSpace(text, 0);
  for (const segment of path) {
    const first = text[start];
    const found =
      first === '{' ? memberAt(text, start, segment) : first === '[' ? elementAt(text, start, segment) : undefined;
    if (found === undefined) return undefined;
    start = found;
  }
  return text.slice(start, skipValue(text, start));
}

/**
 * The start of a member's value. The last of equal keys wins, as in `JSON.parse`. A key may also be
 * written as answers show it, with its invisible characters escaped.
 */
function memberAt(text: string, object: number, key: string): number | undefined {
  let found: number | undefined;
  let alike: number | undefined;
  let at = skipSpace(text, object + 1);
  while (text[at] !== '}') {
    const end = skipString(text, at);
    const source = text.slice(at, end);
    const name = source.includes('\\') ? String(JSON.parse(source)) : source.slice(1, -1);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (name === key) found = value;
    else if (visible(name) === key) alike = value;
    at = skipSeparator(text, skipValue(text, value));
  }
  return found ?? alike;
}

function elementAt(text: string, array: number, segment: string): number | undefined {
  if (!isIndex(segment)) return undefined;
  let left = Number(segment);
  let at = skipSpace(text, array + 1);
  while (text[at] !== ']') {
    if (left === 0) return at;
    left -= 1;
    at = skipSeparator(text, skipValue(text, at));
  }
  return undefined;
}

function skipSeparator(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === ',' ? skipSpace(text, next + 1) : next;
}
