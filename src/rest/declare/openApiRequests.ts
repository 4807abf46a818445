import type { Field, Fields } from './fields.ts';
import { type JsonSchema, orNull } from './jsonSchema.ts';
import type { Schemas } from './openApiSchemas.ts';
import { type Body, type Route, strictHeader } from './route.ts';

/** Parameters that routes share. */
export const namedParameters = {
  Strict: {
    name: strictHeader,
    in: 'header',
    description: '`1` refuses query parameters and body fields that are not described, instead of ignoring them.',
    schema: { type: 'string', enum: ['0', '1'] },
  },
};

/** The parameters of a route: of its path, its query string and its headers. */
export function parametersOf(route: Route): object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
  const inQuery = Object.entries(route.parameters).map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }));
  const resumes = route.kind === 'stream' && route.lastEventId;
  return [
    ...inPath,
    ...inQuery,
    ...(resumes ? [{ name: 'Last-Event-ID', in: 'header', ...resumes }] : []),
    ...(route.kind === 'raw' ? [] : [{ $ref: '#/components/parameters/Strict' }]),
  ];
}

export function requestBodyOf(schemas: Schemas, { required, fields, isStrict, minFields }: Body<Fields>): object {
  const schema: JsonSchema = {
    ...objectOf(schemas, fields),
    ...(isStrict && { additionalProperties: false }),
    ...(minFields !== undefined && { minProperties: minFields }),
  };
  return { required: required || schema.required !== undefined, content: { 'application/json': { schema } } };
}

function objectOf(schemas: Schemas, fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  const mandatory = entries.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: 'object',
    ...(mandatory.length > 0 && { required: mandatory }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(schemas, field)])),
  };
}

function fieldSchema(schemas: Schemas, { schema, description, takesNull, of }: Field<unknown>): JsonSchema {
  const own = Object.keys(schema).length === 0 ? schemas.payload() : schema;
  const whole = of ? { ...own, items: objectOf(schemas, of) } : own;
  return { ...(takesNull ? orNull(whole) : whole), description };
}
