import { RawJson } from './rawJson.ts';

/** Deeper values are a mistake of ours (or a cycle): what comes from outside is refused at a lower bound. */
const maxDepth = 2000;

/**
 * `JSON.stringify` in which every `RawJson`, wherever it stands, is spliced in as the text that it holds. For plain data,
 * and objects with `toJSON`: `undefined` members are left out, `undefined` elements become null. Throws `TypeError` on
 * what JSON cannot say, and on cycles.
 */
export function stringifyRaw(value: unknown): string {
  const text = write(value, 0);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** Undefined for what JSON leaves out. */
function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? `${value}` : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeObject(value, depth);
    case 'bigint':
      throw new TypeError('a BigInt is no JSON value');
    default:
      return undefined;
  }
}

function writeObject(value: object, depth: number): string | undefined {
  if (value instanceof RawJson) return value.text;
  if (depth >= maxDepth) throw new TypeError(`value is nested deeper than ${maxDepth} levels, or cyclic`);
  if (Array.isArray(value)) return writeArray(value, depth + 1);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(), depth + 1);
  return writeMembers(value, depth + 1);
}

function writeArray(values: readonly unknown[], depth: number): string {
  let text = '[';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ',';
    text += write(values[index], depth) ?? 'null';
  }
  return `${text}]`;
}

function writeMembers(value: object, depth: number): string {
  let text = '';
  for (const [key, member] of Object.entries(value)) {
    const written = write(member, depth);
    if (written !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${written}`;
  }
  return `{${text}}`;
}
