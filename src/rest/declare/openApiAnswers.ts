import type { GraphQLSchema } from 'graphql';
import { nextCursorHeader, nextFromHeader } from './answer.ts';
import type { JsonSchema } from './jsonSchema.ts';
import type { Schemas } from './openApiSchemas.ts';
import { streamFor } from './openApiStreams.ts';
import { shapeAt, shapeBeside } from './present.ts';
import { type DocumentRoute, type ExceptionRoute, type Route, statusesOf } from './route.ts';
import { type Shape, shapeOf } from './shape.ts';

interface Failure {
  why: string;
  headers?: Readonly<Record<string, string>>;
}

const failures: Readonly<Record<number, Failure>> = {
  400: { why: 'Malformed request; the error names the field and the accepted values.' },
  401: { why: 'The API key is missing or unknown.', headers: { 'WWW-Authenticate': '`Bearer`, if a key is missing.' } },
  403: { why: 'The key may not write, or the project is suspended.' },
  404: { why: 'The addressed resource does not exist.' },
  405: {
    why: 'Another method: the path does not take it.',
    headers: { Allow: 'The methods that the path takes, separated by commas.' },
  },
  408: { why: 'The request did not arrive in time.' },
  409: { why: 'Conflict with the current state.' },
  413: { why: 'The body is larger than 1 MiB.' },
  415: { why: 'The body is compressed.' },
  426: { why: 'The request did not ask for an upgrade.', headers: { Upgrade: '`websocket`.' } },
  431: { why: 'The URL and the headers are larger than 16 KiB.' },
  500: { why: 'Unexpected fault.', headers: { 'X-Request-Id': 'The id under which the log has the details.' } },
  501: { why: 'The capability is not configured for the project.' },
  502: { why: 'No live runner can serve the workflow.' },
  503: {
    why: 'The service cannot answer now; retry later.',
    headers: { 'Retry-After': 'After how many seconds.' },
  },
};

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', description: 'A short reason.' } },
};

const inText = (headers: Readonly<Record<string, string>>): object => ({
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  ),
});

/** The failures that routes answer, as named responses. */
export function namedFailures(schemas: Schemas, routes: readonly Route[]): object {
  const content = { 'application/json': { schema: schemas.name('Error', errorSchema) } };
  const answered = new Set(routes.flatMap(statusesOf).filter((status) => status >= 400));
  const named = [...answered].sort().map((status) => {
    const { why: description, headers } = failures[status] ?? { why: '' };
    return [`Failure${status}`, { description, ...(headers && inText(headers)), content }];
  });
  return Object.fromEntries(named);
}

/** The failures of a route, by status. */
export function failuresFor(route: Route): object {
  const statuses = statusesOf(route).filter((status) => status >= 400);
  const found = statuses.map((status) => [String(status), { $ref: `#/components/responses/Failure${status}` }]);
  // OpenAPI takes no upgrade for a success. Proxies and the dispatcher refuse handshakes, too.
  const isUpgrade = route.kind === 'exception' && route.success.status === 101;
  return { ...Object.fromEntries(found), ...(isUpgrade && { default: { $ref: '#/components/responses/Failure500' } }) };
}

/** The answer of a route with a status that is no failure. */
export function successFor(schema: GraphQLSchema, schemas: Schemas, route: Route, status: number): object {
  if (status === 204) return { description: 'No content.' };
  if (route.kind === 'raw') {
    const found = route.successes.find((each) => each.status === status);
    if (!found) throw new Error(`${route.path} does not declare its ${status}`);
    return inJson(found.meaning, schemas.name(found.name, found.schema));
  }
  if (route.kind === 'exception') return ofException(schemas, route);
  const shape = shapeOf(schema, route.document);
  if (route.kind === 'stream') return streamFor(schemas, route, shapeAt(shape, [route.at]));
  return { ...inJson(route.summary, bodyOf(schemas, shape, route.success)), ...headersOf(route) };
}

const inJson = (description: string, schema: JsonSchema): object => ({
  description,
  content: { 'application/json': { schema } },
});

function ofException(schemas: Schemas, { summary, success }: ExceptionRoute): object {
  if (success.status === 101) return { description: 'The connection becomes a WebSocket.' };
  const { type, schema, name } = success;
  const named = name === undefined ? schema : schemas.name(name, schema);
  return { description: summary, content: { [type]: { schema: named } } };
}

function bodyOf(schemas: Schemas, shape: Shape, { at, beside, name }: DocumentRoute['success']): JsonSchema {
  const body = schemas.of(shapeAt(shape, at));
  const whole = beside ? { allOf: [body, schemas.of(shapeBeside(shape, beside))] } : body;
  return name === undefined ? whole : schemas.name(name, whole);
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
