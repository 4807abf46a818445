import { readFile } from 'node:fs/promises';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { statusesOf } from '../../src/rest/declare/route.ts';
import { openApiOf, routes } from '../../src/rest/index.ts';

const schema = buildSchema(await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const documents = routes.flatMap((route) =>
  route.kind === 'exception' || route.kind === 'raw'
    ? []
    : [route.document, ...(route.kind === 'stream' && route.preflight ? [route.preflight.document] : [])],
);

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; responses: Record<string, unknown>; parameters?: { name: string; in: string }[] }
    >
  >;
  components: Record<string, Record<string, unknown>>;
}

const description = JSON.parse(JSON.stringify(openApiOf(schema, routes))) as OpenApi;
const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));

test.each(documents)('a route runs a document that fits the schema: %s', (document) => {
  expect(validate(schema, parse(document))).toEqual([]);
});

test('OpenAPI lists every route with exactly the statuses that it can answer', () => {
  for (const route of routes) {
    const operation = description.paths[route.path]?.[route.method.toLowerCase()];
    expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual(statusesOf(route));
  }
  expect(operations).toHaveLength(routes.length);
});

test('OpenAPI declares what each event of a stream carries beside what is read for it', () => {
  const data = {
    allOf: [
      expect.objectContaining({ $ref: '#/components/schemas/RunStatusChange' }),
      { type: 'object', required: ['kind'], properties: { kind: { const: 'run_status' } } },
    ],
  };
  expect(description.paths['/runs/stream']?.['get']?.responses['200']).toMatchObject({
    content: { 'text/event-stream': { 'x-event-data': data } },
  });
});

test('every reference in OpenAPI leads somewhere, and operations have names of their own', () => {
  const text = JSON.stringify(description);
  for (const [, section = '', name = ''] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g))
    expect(description.components[section], `${section}/${name}`).toHaveProperty(name);
  const ids = operations.map((operation) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every placeholder of a path is a declared parameter', () => {
  for (const [path, methods] of Object.entries(description.paths))
    for (const operation of Object.values(methods))
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        expect(operation.parameters).toContainEqual(expect.objectContaining({ name, in: 'path' }));
});

test('OpenAPI marks the optional fields of a run as such, and speaks the contract’s words', () => {
  expect(description.components['schemas']?.['RunSummary']).toMatchObject({
    required: ['id', 'app', 'workflow', 'version', 'status', 'triggerKind', 'attempt', 'createdAt'],
    properties: { status: { enum: expect.arrayContaining(['needs_attention', 'queued']) } },
  });
});
