import type { Member, Shape } from './shape.ts';

/**
 * A value of a GraphQL answer as REST shows it: optional fields without a value are absent, enums
 * are the contract's words. A JSON payload that is null arrives as a `RawJson` of `null`, and
 * stays.
 */
export function present(shape: Shape, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  switch (shape.kind) {
    case 'scalar':
      return value;
    case 'word':
      return shape.words.get(value) ?? value;
    case 'list':
      return Array.isArray(value) ? value.map((each) => present(shape.of, each)) : undefined;
    case 'object':
      return typeof value === 'object' ? presentMembers(shape.members, value) : undefined;
  }
}

function presentMembers(members: readonly Member[], value: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { key, shape } of members) {
    const member = present(shape, Reflect.get(value, key));
    if (member !== undefined) shown[key] = member;
  }
  return shown;
}

/**
 * Where in a document's answer a route's body stands. Throws where the path leads through anything
 * but objects.
 */
export function shapeAt(shape: Shape, path: readonly string[]): Shape {
  let at = shape;
  for (const key of path) {
    const member = at.kind === 'object' ? at.members.find((each) => each.key === key) : undefined;
    if (!member) throw new Error(`the document selects no ${path.join('.')}`);
    at = member.shape;
  }
  return at;
}

/** The value at a path of a document's answer; undefined where there is none. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  let at = data;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at ?? undefined;
}
