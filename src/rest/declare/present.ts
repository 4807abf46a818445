import type { Member, ObjectShape, Shape } from './shape.ts';

/**
 * Converts a value of a GraphQL answer to its REST form. Optional fields without a value become
 * absent, and enums become the contract's words. A JSON payload that is null arrives as a `RawJson`
 * of `null`, and stays.
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
    case 'variants':
      return typeof value === 'object' ? presentMembers(shape.members, value) : undefined;
  }
}

function presentMembers(members: readonly Member[], value: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { key, shape } of members) {
    const given: unknown = Reflect.get(value, key);
    // Most members are scalars.
    const member = shape.kind === 'scalar' ? (given ?? undefined) : present(shape, given);
    if (member !== undefined) shown[key] = member;
  }
  return shown;
}

/**
 * The shape at a route's path in a document's answer. Throws if a part of the path is not an
 * object.
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

/** The members beside a body, as an object: their shapes come from paths in the document. */
export function shapeBeside(shape: Shape, paths: Readonly<Record<string, readonly string[]>>): ObjectShape {
  const members = Object.entries(paths).map(([key, path]) => ({ key, shape: shapeAt(shape, path) }));
  return { kind: 'object', optional: false, description: undefined, parts: [{ name: undefined, members }], members };
}

/** The value at a path of a document's answer; undefined if there is none. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  let at = data;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at ?? undefined;
}
