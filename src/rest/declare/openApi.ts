import { type GraphQLSchema, Kind, parse } from 'graphql';
import { nextCursorHeader, nextFromHeader } from './answer.ts';
import type { Fields } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';
import { Schemas } from './openApiSchemas.ts';
import { shapeAt, shapeBeside } from './present.ts';
import { type Body, type DocumentRoute, type Route, type StreamRoute, statusesOf } from './route.ts';
import { type Shape, shapeOf } from './shape.ts';

/** Builds the OpenAPI 3.1 description of REST from the declarations of the routes. */
export function openApiOf(schema: GraphQLSchema, routes: readonly Route[]): object {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    operations[route.method.toLowerCase()] = operationOf(schema, schemas, route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version: '1.0.0', description: 'Durable workflows over HTTP.' },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map((route) => route.group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      schemas: { ...schemas.named, Error: errorSchema },
      responses: Object.fromEntries(
        Object.entries(failures).map(([status, why]) => [`Failure${status}`, failure(why)]),
      ),
    },
  };
}

/** The text of `openapi.json`, served and committed alike. */
export const openApiText = (schema: GraphQLSchema, routes: readonly Route[]): string =>
  `${JSON.stringify(openApiOf(schema, routes), null, 2)}\n`;

const failures: Readonly<Record<number, string>> = {
  400: 'Malformed request; the error names the field and the accepted values.',
  401: 'The API key is missing or unknown.',
  403: 'The key may not write, or the project is suspended.',
  404: 'The addressed resource does not exist.',
  409: 'Conflict with the current state.',
  413: 'The body is larger than 1 MiB.',
  415: 'The body is compressed.',
  426: 'The request did not ask for an upgrade.',
  500: 'Unexpected fault.',
  501: 'The capability is not configured for the project.',
  502: 'No live runner can serve the workflow.',
  503: 'The service cannot answer now; retry later.',
};

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', description: 'A short reason.' } },
};

const failure = (description: string): object => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

function operationOf(schema: GraphQLSchema, schemas: Schemas, route: Route): object {
  const statuses = statusesOf(route).map((status) => {
    const meaning =
      status < 400 ? success(schema, schemas, route, status) : { $ref: `#/components/responses/Failure${status}` };
    return [String(status), meaning];
  });
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.group],
    ...(route.scope === 'none' && { security: [] }),
    ...(parametersOf(route).length > 0 && { parameters: parametersOf(route) }),
    ...(route.body && { requestBody: requestBody(route.body) }),
    responses: Object.fromEntries(statuses),
  };
}

/** The id of the operation: its name in GraphQL, or the method and path of an exception. */
function operationId(route: Route): string {
  if (route.kind === 'exception' || route.kind === 'raw') {
    const words = route.path.split(/\W+/).filter((word) => word !== '');
    return [route.method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
  }
  const [operation] = parse(route.document).definitions;
  const name = operation?.kind === Kind.OPERATION_DEFINITION ? operation.name?.value : undefined;
  if (name === undefined) throw new Error(`the document of ${route.path} must begin with a named operation`);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function parametersOf({ path, parameters }: Route): object[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(parameters).map(([name, { description, schema, family }]) => ({
    name: family ? `${name}.<key>` : name,
    in: 'query',
    description,
    schema,
  }));
  return [...inPath, ...inQuery];
}

function requestBody({ required, fields, isStrict }: Body<Fields>): object {
  const entries = Object.entries(fields);
  const mandatory = entries.filter(([, field]) => field.required).map(([name]) => name);
  const schema = {
    type: 'object',
    ...(mandatory.length > 0 && { required: mandatory }),
    properties: Object.fromEntries(
      entries.map(([name, { schema, description }]) => [name, { ...schema, description }]),
    ),
    ...(isStrict && { additionalProperties: false }),
  };
  return { required, content: { 'application/json': { schema } } };
}

function success(schema: GraphQLSchema, schemas: Schemas, route: Route, status: number): object {
  if (status === 204) return { description: 'No content.' };
  if (route.kind === 'raw') {
    const { meaning = '', schema: body = {} } = route.successes.find((each) => each.status === status) ?? {};
    return { description: meaning, content: { 'application/json': { schema: body } } };
  }
  if (route.kind === 'exception')
    return route.success.status === 101
      ? { description: 'The connection becomes a WebSocket.' }
      : { description: route.summary, content: { [route.success.type]: { schema: route.success.schema } } };
  const shape = shapeOf(schema, route.document);
  if (route.kind === 'stream') {
    const data = withConstant(schemas.of(shapeAt(shape, [route.at])), route.constant);
    const media = { schema: { type: 'string', description: 'Server-Sent Events.' }, 'x-event-data': data };
    return { description: route.summary, content: { 'text/event-stream': media } };
  }
  return {
    description: route.summary,
    ...headersOf(route),
    content: { 'application/json': { schema: bodyOf(schemas, shape, route.success) } },
  };
}

function bodyOf(schemas: Schemas, shape: Shape, { at, beside }: DocumentRoute['success']): JsonSchema {
  const body = schemas.of(shapeAt(shape, at));
  return beside ? { allOf: [body, schemas.of(shapeBeside(shape, beside))] } : body;
}

/** Adds the constant members of a stream's events to their schema. */
function withConstant(schema: JsonSchema, constant: StreamRoute['constant']): JsonSchema {
  if (!constant) return schema;
  const properties = Object.fromEntries(Object.entries(constant).map(([name, value]) => [name, { const: value }]));
  return { allOf: [schema, { type: 'object', required: Object.keys(constant), properties }] };
}

function headersOf({ success: { page, whole, nextFrom } }: DocumentRoute): object {
  if (page && !whole) return { headers: { [nextCursorHeader]: nextCursor } };
  return nextFrom ? { headers: { [nextFromHeader]: nextPosition } } : {};
}

const nextPosition = {
  description: 'The `from` of the next page; absent on the last one.',
  schema: { type: 'integer' },
};

const nextCursor = {
  description: 'The `cursor` of the next page; absent on the last one.',
  schema: { type: 'string' },
};
