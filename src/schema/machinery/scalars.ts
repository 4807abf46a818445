import { GraphQLError, Kind, type ObjectValueNode, type ValueNode } from 'graphql';
import { parseInstant } from '../../engine/instant.ts';
import { RawJson } from '../../engine/json/index.ts';
import { builder } from './builder.ts';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** Writes `JSON`: payloads keep their text, other values are encoded with the answer. */
const serializeJson = (value: unknown): unknown => value;

/** Reads `JSON` from a variable. */
function parseJsonValue(value: unknown): RawJson {
  if (value instanceof RawJson) return value;
  try {
    return RawJson.of(value);
  } catch {
    throw new GraphQLError('not a JSON value');
  }
}

/** Reads `JSON` from the document itself. Numbers keep their digits. */
const parseJsonLiteral = (node: ValueNode, variables: Variables): RawJson =>
  RawJson.trusted(literalText(node, variables));

function literalText(node: ValueNode, variables: Variables): string {
  switch (node.kind) {
    case Kind.NULL:
      return 'null';
    case Kind.INT:
    case Kind.FLOAT:
      return node.value;
    case Kind.BOOLEAN:
    case Kind.STRING:
      return JSON.stringify(node.value);
    case Kind.LIST:
      return `[${node.values.map((each) => literalText(each, variables)).join(',')}]`;
    case Kind.OBJECT:
      return objectText(node, variables);
    case Kind.VARIABLE:
      return parseJsonValue(variables?.[node.name.value] ?? null).text;
    case Kind.ENUM:
      throw new GraphQLError(`${node.value} is not a JSON value`, { nodes: [node] });
  }
}

const objectText = ({ fields }: ObjectValueNode, variables: Variables): string =>
  `{${fields.map((each) => `${JSON.stringify(each.name.value)}:${literalText(each.value, variables)}`).join(',')}}`;

/** Reads a `DateTime`. */
function parseDateTime(value: unknown): Date {
  const date = value instanceof Date ? value : typeof value === 'string' ? parseInstant(value) : undefined;
  if (!date || Number.isNaN(date.getTime())) throw new GraphQLError('not a timestamp of RFC 3339');
  return date;
}

/** Writes a `DateTime` with milliseconds, in UTC. */
function serializeDateTime(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return new Date(value).toISOString();
  throw new TypeError('not a date');
}

/** Reads `Tags`; the engine checks their content. */
const parseTagsValue = (value: unknown): unknown => (value instanceof RawJson ? value.parse() : value);

const parseTagsLiteral = (node: ValueNode, variables: Variables): unknown => parseJsonLiteral(node, variables).parse();

builder.scalarType('JSON', {
  description: 'Any JSON value, kept exactly as it was sent.',
  serialize: serializeJson,
  parseValue: parseJsonValue,
  parseLiteral: parseJsonLiteral,
});

builder.scalarType('DateTime', {
  description: 'An instant in UTC: RFC 3339 with milliseconds.',
  serialize: serializeDateTime,
  parseValue: parseDateTime,
});

builder.scalarType('Tags', {
  description: 'Metadata: an object whose values are strings.',
  serialize: (tags) => tags,
  parseValue: parseTagsValue,
  parseLiteral: parseTagsLiteral,
});
