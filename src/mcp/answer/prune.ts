import type { JsonSchema } from '../../rest/index.ts';
import { bytesOf } from './abridge.ts';
import type { Abridged, Path } from './extent.ts';

/** A part that the schema of the answer lets go. */
interface Part {
  path: Path;
  bytes: number;
  /** Parts without a structure of ours go first: texts, payloads, lists. */
  isPlain: boolean;
  leave(): void;
}

/**
 * Takes the largest parts out of an answer until it has lost so many bytes: optional members, and
 * the elements of lists. Parts that the schema requires stay. Changes the value. `kept` is the list
 * of the page, whose only entry stays.
 */
export function prune(value: unknown, schema: JsonSchema, bytes: number): Abridged[] {
  const parts = partsOf(value, schema, []).toSorted(
    (a, b) => Number(b.isPlain) - Number(a.isPlain) || b.bytes - a.bytes,
  );
  const left: Abridged[] = [];
  let lost = 0;
  for (const { path, bytes: size, leave } of parts) {
    if (lost >= bytes) break;
    if (left.some((each) => each.path.every((segment, at) => path[at] === segment))) continue;
    leave();
    lost += size;
    left.push({ path, bytes: size });
  }
  return left;
}

function partsOf(value: unknown, schema: JsonSchema, path: Path): Part[] {
  if (Array.isArray(value)) {
    const { items } = merged(schema);
    return items ? value.flatMap((each, index) => partsOf(each, items, [...path, index])) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const { properties, required } = merged(schema);
  return Object.entries(value).flatMap(([key, member]): Part[] => {
    const own = properties.get(key);
    const at = [...path, key];
    const below = own ? partsOf(member, own, at) : [];
    if (path.length === 0 && (isKept.has(key) || (own?.items && Array.isArray(member) && member.length <= 1)))
      return below;
    const bytes = bytesOf(member);
    const isPlain = !own || merged(own).properties.size === 0;
    if (!required.has(key))
      return [...below, { path: at, bytes, isPlain, leave: () => void Reflect.deleteProperty(value, key) }];
    if (!Array.isArray(member) || member.length === 0) return below;
    return [...below, { path: at, bytes, isPlain, leave: () => void Reflect.set(value, key, []) }];
  });
}

const isKept: ReadonlySet<string> = new Set([
  'nextCursor',
  'nextFrom',
  'abridged',
  'abridgedMore',
  'confirm',
  'expiresAt',
]);

interface Merged {
  properties: Map<string, JsonSchema>;
  required: Set<string>;
  items: JsonSchema | undefined;
}

/** The members that all parts of a schema name. Those of `anyOf` are optional. */
function merged(schema: JsonSchema): Merged {
  const all: Merged = {
    properties: new Map(Object.entries(schema.properties ?? {})),
    required: new Set(schema.required),
    items: schema.items,
  };
  for (const part of schema.allOf ?? []) {
    const { properties, required, items } = merged(part);
    for (const [key, each] of properties) all.properties.set(key, each);
    for (const key of required) all.required.add(key);
    all.items ??= items;
  }
  return all;
}
