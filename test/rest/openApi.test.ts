import { readFile } from 'node:fs/promises';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { readJson } from '../../src/engine/json/index.ts';
import type { JsonSchema } from '../../src/rest/declare/jsonSchema.ts';
import { statusesOf } from '../../src/rest/declare/route.ts';
import { openApiOf, routes } from '../../src/rest/index.ts';

const schema = buildSchema(await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const documents = routes.flatMap((route) =>
  route.kind === 'exception' || route.kind === 'raw'
    ? []
    : [route.document, ...(route.kind === 'stream' && route.preflight ? [route.preflight.document] : [])],
);

interface Media {
  schema: JsonSchema;
  'x-events': Record<string, JsonSchema>;
}

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, Media> }>;
  parameters?: { name?: string; in?: string }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: JsonSchema } } };
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
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
    const statuses = Object.keys(operation?.responses ?? {}).filter((status) => status !== 'default');
    expect(statuses.map(Number)).toEqual(statusesOf(route));
  }
  expect(operations).toHaveLength(routes.length);
});

test('each event of each stream has a schema, by its `event:` line', () => {
  const events = Object.entries(description.paths).flatMap(([path, { get }]) => {
    const stream = get?.responses['200']?.content?.['text/event-stream'];
    return stream ? [[path, stream] as const] : [];
  });
  const streams = routes.filter(({ kind }) => kind === 'stream');
  expect(events.map(([path]) => path)).toEqual(streams.map(({ path }) => path));
  for (const [path, stream] of events)
    for (const { $ref = '' } of [stream.schema, ...Object.values(stream['x-events'])]) {
      const schema = description.components['schemas']?.[$ref.replace('#/components/schemas/', '')];
      expect(schema, path).toMatchObject({});
    }
  expect(Object.fromEntries(events.map(([path, stream]) => [path, Object.keys(stream['x-events'])]))).toMatchObject({
    '/runs/{id}/stream': ['run_status', 'step_status', 'log'],
    '/runs/stream': ['run_status'],
  });
});

test('frames of a run are told apart by their kind, and carry what the journal writes', () => {
  const { RunFrame, StepStatusFrame, LogFrame, RunStatusChange } = description.components['schemas'] ?? {};
  expect(RunFrame).toMatchObject({ discriminator: { propertyName: 'kind' } });
  expect(StepStatusFrame).toMatchObject({
    required: ['kind', 'seq', 'ts', 'runId', 'step', 'index', 'attempt', 'status'],
    properties: { kind: { const: 'step_status' }, status: { enum: expect.arrayContaining(['skipped']) } },
  });
  expect(LogFrame).not.toHaveProperty(['properties', 'status']);
  expect(RunStatusChange).toMatchObject({ properties: { kind: { const: 'run_status' } } });
});

test('streams that resume declare Last-Event-ID', () => {
  const resuming = Object.entries(description.paths).filter(([, { get }]) =>
    get?.parameters?.some(({ name }) => name === 'Last-Event-ID'),
  );
  expect(resuming.map(([path]) => path)).toEqual(['/events/stream', '/runs/{id}/stream']);
});

test('every JSON answer is a named schema, or a list of one', () => {
  for (const { operationId, responses } of operations) {
    // This description has a schema of its own.
    if (operationId === 'getOpenapiJson') continue;
    for (const [status, { content }] of Object.entries(responses)) {
      const schema = content?.['application/json']?.schema;
      if (schema) expect((schema.items ?? schema).$ref, `${operationId} ${status}`).toBeDefined();
    }
  }
});

test('names of parameters are words, so that generated clients can send them', () => {
  const names = operations.flatMap(({ parameters = [] }) => parameters.flatMap(({ name }) => name ?? []));
  expect(names.filter((name) => !/^[A-Za-z]+([-._][A-Za-z]+)*$/.test(name))).toEqual([]);
});

test('a body with a required field, or with at least one field, is required', () => {
  for (const { operationId, requestBody } of operations) {
    const { required = [], minProperties = 0 } = requestBody?.content['application/json'].schema ?? {};
    if (required.length + minProperties > 0) expect(requestBody?.required, operationId).toBe(true);
  }
});

test('a field that reads null as absent declares null', () => {
  const sent = readJson('{"field":null}');
  for (const { path, body } of routes)
    for (const [name, field] of Object.entries(body?.fields ?? {}))
      if (!field.required && field.schema.type && field.read(sent, 'field') === undefined)
        expect(field.takesNull, `${path} ${name}`).toBe(true);
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
    properties: { status: { $ref: '#/components/schemas/RunStatus' } },
  });
  expect(description.components['schemas']?.['RunStatus']).toMatchObject({
    enum: expect.arrayContaining(['needs_attention', 'queued']),
  });
});
