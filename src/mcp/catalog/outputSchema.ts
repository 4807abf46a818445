import { type DocumentRoute, type JsonSchema, Schemas, shapeAt, shapeBeside, shapeOf } from '../../rest/index.ts';
import { schema } from '../../schema/index.ts';

/** The schema of what a route answers, as `openapi.json` has it. */
export function bodySchemaOf(route: DocumentRoute): JsonSchema {
  const { at, beside } = route.success;
  const schemas = new Schemas();
  const shape = shapeOf(schema, route.document);
  const body = schemas.of(shapeAt(shape, at));
  const all = beside ? { allOf: [body, schemas.of(shapeBeside(shape, beside))] } : body;
  return inlined(all, schemas.named);
}

/** A schema of an object with these members, beside what an answer adds to any data. */
export const dataSchema = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties: { ...properties, abridged: abridgedSchema, abridgedMore: { type: 'integer' } },
  ...(required.length > 0 && { required }),
});

/** Values that are shown in part, with their bytes as JSON. Those with an owner are arguments. */
const abridgedSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['path', 'bytes'],
    properties: { path: { type: 'string' }, bytes: { type: 'integer' } },
    additionalProperties: { type: 'string' },
  },
};

/** A schema whose members are those of `body` and what an answer adds. */
export const withAbridged = (body: JsonSchema): JsonSchema => ({ type: 'object', allOf: [body, dataSchema({})] });

const beginning = '#/components/schemas/';

/**
 * Replaces references by what they name: a client sees one schema at a time. Leaves descriptions
 * out, which `openapi.json` has.
 */
function inlined(part: JsonSchema, named: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref, description: _unseen, ...own } = part;
  if ($ref !== undefined) return { ...inlined(named[$ref.slice(beginning.length)] ?? {}, named), ...own };
  return Object.fromEntries(
    Object.entries(own).map(([key, value]) => {
      if (key === 'enum' || key === 'required') return [key, value];
      return [key, key === 'properties' ? inlinedMembers(value, named) : inlinedValue(value, named)];
    }),
  );
}

/** A member may have the name of a keyword, such as `description`. */
const inlinedMembers = (members: unknown, named: Readonly<Record<string, JsonSchema>>): unknown =>
  Object.fromEntries(Object.entries(Object(members)).map(([name, each]) => [name, inlinedValue(each, named)]));

function inlinedValue(value: unknown, named: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(value)) return value.map((each) => inlinedValue(each, named));
  return typeof value === 'object' && value !== null ? inlined(value, named) : value;
}
