import type { JsonSchema } from './jsonSchema.ts';
import type { Schemas } from './openApiSchemas.ts';
import type { EventFrames, Frame, StreamRoute } from './route.ts';
import type { Member, ObjectShape, Shape } from './shape.ts';

/**
 * The answer of a stream. OpenAPI 3.1 knows no events, so the schema is that of the `data` of each
 * one, as generators expect it. `x-events` has the schema of each `event:` line.
 */
export function streamFor(schemas: Schemas, { path, summary, event, constant }: StreamRoute, shape: Shape): object {
  if (shape.kind !== 'object') throw new Error(`the events of ${path} are no objects`);
  const events =
    'word' in event
      ? { [event.word]: schemas.name(fragmentOf(shape), withConstants(schemas.members(shape.members), constant)) }
      : framesOf(schemas, event, shape);
  const schema = 'word' in event ? events[event.word] : schemas.name(fragmentOf(shape), unionOf(event.member, events));
  return {
    description: `${summary}. Server-Sent Events: the schema is that of the \`data\` of each.`,
    content: { 'text/event-stream': { schema, 'x-events': events } },
  };
}

function fragmentOf({ parts }: ObjectShape): string {
  const [part] = parts;
  if (part?.name === undefined || parts.length > 1) throw new Error('the events of a stream come from one fragment');
  return part.name;
}

/** The schemas of frames by their word. */
function framesOf(
  schemas: Schemas,
  { member, frames }: EventFrames,
  { members }: ObjectShape,
): Record<string, JsonSchema> {
  const shared = members.filter(({ key, shape }) => key !== member && !shape.optional);
  const named = (key: string, optional: boolean): Member => {
    const found = members.find((each) => each.key === key);
    if (!found) throw new Error(`no frame has ${key}`);
    return { key, shape: { ...found.shape, optional } };
  };
  const schemaOf = ([word, { name, has, mayHave, words = {} }]: [string, Frame]): [string, JsonSchema] => {
    const own = [...has.map((key) => named(key, false)), ...mayHave.map((key) => named(key, true))];
    const schema = schemas.members([...shared, ...own]);
    return [word, schemas.name(name, withConstants(withWords(schema, words), { [member]: word }))];
  };
  return Object.fromEntries(Object.entries(frames).map(schemaOf));
}

/** Adds required members, each with one of a list of words. */
function withWords(schema: JsonSchema, words: NonNullable<Frame['words']>): JsonSchema {
  const own = Object.entries(words).map(([name, list]): [string, JsonSchema] => [name, { type: 'string', enum: list }]);
  return {
    ...schema,
    required: [...(schema.required ?? []), ...Object.keys(words)],
    properties: { ...schema.properties, ...Object.fromEntries(own) },
  };
}

function unionOf(propertyName: string, events: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const mapping = Object.fromEntries(Object.entries(events).map(([word, { $ref = '' }]) => [word, $ref]));
  return { oneOf: Object.values(events), discriminator: { propertyName, mapping } };
}

/** Adds members of one value. */
function withConstants(schema: JsonSchema, constant: Readonly<Record<string, string>> = {}): JsonSchema {
  const names = Object.keys(constant);
  if (names.length === 0) return schema;
  const constants = Object.entries(constant).map(([name, value]) => [name, { type: 'string', const: value }] as const);
  return {
    ...schema,
    required: [...names, ...(schema.required ?? [])],
    properties: { ...Object.fromEntries(constants), ...schema.properties },
  };
}
