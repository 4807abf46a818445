import { type GraphQLSchema, Kind, parse } from 'graphql';
import { failuresFor, namedFailures, successFor } from './openApiAnswers.ts';
import { namedParameters, parametersOf, requestBodyOf } from './openApiRequests.ts';
import { Schemas } from './openApiSchemas.ts';
import { type Group, type Route, statusesOf } from './route.ts';

const description = `Durable workflows over HTTP. Optional fields without a value are absent from answers, never \`null\`.

A request may send fields and query parameters that are not described: they are ignored, or refused with \`X-Strict: 1\`.
\`/graphql\` and \`/mcp\` describe themselves, and the protocol of runners behind \`/connect\` has a page of its own.`;

const groups: Readonly<Record<Group, string>> = {
  workflows: 'Registered workflows: read, start, retire. What flow control holds back.',
  events: 'Events, which start runs and wake waiting ones.',
  runs: 'Runs with their steps, logs and figures, and their control.',
  approvals: 'Decisions of people that runs wait for.',
  webhooks: 'Outbound webhooks of changes, and inbound messages that become events.',
  runners: 'Processes that execute workflows.',
  service: 'Health, metrics and this description.',
};

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
    info: { title: 'Holdfast', version: '1.0.0', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map((route) => route.group))].map((name) => ({ name, description: groups[name] })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      parameters: namedParameters,
      schemas: schemas.named,
      responses: namedFailures(schemas, routes),
    },
  };
}

/** The text of `openapi.json`, served and committed alike. */
export const openApiText = (schema: GraphQLSchema, routes: readonly Route[]): string =>
  `${JSON.stringify(openApiOf(schema, routes), null, 2)}\n`;

function operationOf(schema: GraphQLSchema, schemas: Schemas, route: Route): object {
  const parameters = parametersOf(route);
  const successes = statusesOf(route).flatMap((status) =>
    status < 400 ? [[String(status), successFor(schema, schemas, route, status)] as const] : [],
  );
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.group],
    ...(route.scope === 'none' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBodyOf(schemas, route.body) }),
    responses: { ...Object.fromEntries(successes), ...failuresFor(route) },
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
