import { execute, GraphQLError, parse } from 'graphql';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sendEvents } from '../../src/engine/events/index.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { type DocumentRoute, routes } from '../../src/rest/index.ts';
import { schema } from '../../src/schema/index.ts';
import { compileQuery } from '../../src/schema/machinery/compiledQuery.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { contextOf, insertStep, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [
    { name: 'ship', triggers: [{ event: 'order.*' }], concurrency: { limit: 2 } },
    { name: 'late', triggers: [{ event: 'order.paid' }], debounce: { periodMs: 60_000 } },
  ]);
  const data = RawJson.trusted('{"huge":1e400,"zero":-0,"long":12345678901234567890}');
  const inputs = [
    { name: 'order.paid', data, tags: { tenant: 'acme' }, session: 's' },
    { name: 'order.sent', data: RawJson.trusted('null') },
    { name: 'nobody.listens' },
  ];
  const [first] = await sendEvents(test.engine, { projectId, inputs });
  ids['event'] = first?.eventId ?? '';
  ids['run'] = first?.triggered.find(({ runId }) => runId)?.runId ?? '';
  await insertStep(test.engine, ids['run'], { index: 0, name: 'charge' });
});

const argsOf = (text: string, variableValues: Record<string, unknown> = {}) => ({
  schema,
  document: parse(text),
  contextValue: contextOf(test.engine, secretKey(projectId)),
  variableValues,
});

/** The answers of both executors. */
async function both(text: string, variables: Record<string, unknown>) {
  const compiled = compileQuery(schema, parse(text));
  if (!compiled) throw new Error('not compiled');
  return [await compiled(argsOf(text, variables)), await execute(argsOf(text, variables))] as const;
}

const queries = routes.filter(
  (route): route is DocumentRoute => route.kind === 'document' && route.document.trimStart().startsWith('query'),
);
/** Prisma reads their rows, by the whole path of a field. */
const ofPrisma = ['/workflows', '/apps', '/runners'];

describe('a compiled query', () => {
  it.each(
    queries
      .filter(({ path }) => !ofPrisma.includes(path))
      .map((route) => [`${route.method} ${route.path}`, route.document] as const),
  )('answers as the executor of GraphQL does: %s', async (path, document) => {
    const id = path.includes('/events') ? ids['event'] : ids['run'];
    for (const variables of [
      { id, first: 2, limit: 2, provider: 'anthropic' },
      { id: '00000000-0000-0000-0000-000000000000', workflow: 'ship' },
    ]) {
      const [compiled, executed] = await both(document, variables);
      expect(JSON.stringify(compiled.data)).toBe(JSON.stringify(executed.data));
      expect(compiled.data).toEqual(executed.data);
      expect(compiled.errors?.[0]?.message).toBe(executed.errors?.[0]?.message);
    }
  });

  it('is none of rows that Prisma reads', () => {
    const documents = queries.filter(({ path }) => ofPrisma.includes(path));
    expect(documents).toHaveLength(ofPrisma.length);
    for (const { document } of documents) expect(compileQuery(schema, parse(document))).toBeUndefined();
  });

  it('has aliases, variables with defaults, directives and related objects', async () => {
    const text = `query ($id: ID!, $first: Int = 1, $withRuns: Boolean!) {
      one: events(first: $first) { nodes { ...Named runs(limit: 1) @include(if: $withRuns) { id steps { name } } } }
      event(id: $id) { key: id ...Named ...More name @skip(if: $withRuns) }
    }
    fragment Named on Event { name triggered { workflow } }
    fragment More on Event { triggered { app runId } }`;
    const rest = text.replace(' name @skip(if: $withRuns)', '');
    expect(compileQuery(schema, parse(text))).toBeUndefined();
    for (const withRuns of [true, false]) {
      const [compiled, executed] = await both(rest, { id: ids['event'], withRuns });
      expect(compiled).toEqual(executed);
      expect(compiled.data?.['event']).toMatchObject({ triggered: [{ app: 'default', workflow: 'late' }, {}] });
    }
  });

  it('has no data if a field fails, and waits for the others', async () => {
    const text = '{ events(first: 2) { nodes { id } } runs(first: 1, after: "no cursor") { nodes { id } } }';
    const compiled = compileQuery(schema, parse(text));
    const args = argsOf(text);
    let ended = false;
    const query = test.db.query.bind(test.db) as (...sent: unknown[]) => Promise<unknown>;
    vi.spyOn(args.contextValue.engine.db, 'query').mockImplementationOnce(async (...sent: unknown[]) => {
      const result = await query(...sent);
      ended = true;
      return result;
    });
    const result = await compiled?.(args);
    expect(result).toEqual({ errors: [expect.any(GraphQLError)] });
    expect(ended).toBe(true);
    vi.restoreAllMocks();
  });

  it('refuses variables that do not fit', async () => {
    const [compiled, executed] = await both('query ($first: Int) { events(first: $first) { nodes { id } } }', {
      first: 'many',
    });
    expect(compiled.data).toBeUndefined();
    expect(compiled.errors?.map(String)).toEqual(executed.errors?.map(String));
  });

  it('is not made of mutations, of inline fragments, nor of meta fields', () => {
    for (const text of [
      'mutation { cancelRun(input: { runId: "x" }) { run { id } } }',
      '{ events { nodes { ... on Event { id } } } }',
      '{ events { nodes { __typename } } }',
    ])
      expect(compileQuery(schema, parse(text)), text).toBeUndefined();
  });
});
