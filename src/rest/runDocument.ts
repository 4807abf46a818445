import type { GraphQLSchema } from 'graphql';
import { notFound } from '../engine/errors.ts';
import { createSchemaContext } from '../schema/context.ts';
import { prepare, run } from '../schema/execute.ts';
import type { Answer } from './answer.ts';
import type { Headers } from './headers.ts';
import { present, shapeAt, valueAt } from './present.ts';
import type { DocumentRoute, KeyedCall, Preflight } from './route.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { ListPage } from './wholeList.ts';

/** A list that is too long for one piece. */
export interface ListAnswer {
  status: number;
  list: ListPage;
}

/** Answers a request; throws what the caller or the log is to be told. */
export type Answerer = (call: KeyedCall) => Promise<Answer | ListAnswer>;

/** Reads a route's document once; what it returns runs it. Throws on a document that does not fit the schema. */
export function documentAnswerer(schema: GraphQLSchema, route: DocumentRoute): Answerer {
  const { status, at, missing, page, whole, nextFrom } = route.success;
  const find = finder(schema, route.document, at);
  return async (call) => {
    const variables = route.variables(call);
    const { data, body } = await find(variables, call);
    if (status === 204) return { status };
    if (body === undefined) throw notFound(missing);
    if (nextFrom) return { status, body, headers: nextPosition(valueAt(data, nextFrom)) };
    const endOf = (found: unknown): string | undefined => page && endOfPage(valueAt(found, page));
    const end = endOf(data);
    if (end === undefined) return { status, body };
    if (!whole) return { status, body, headers: { 'x-next-cursor': end } };
    const pageAfter = async (after: string): Promise<ListPage> => {
      const found = await find({ ...variables, after }, call);
      return listPage(found.body, endOf(found.data), pageAfter);
    };
    return { status, list: listPage(body, end, pageAfter) };
  };
}

const listPage = (
  rows: unknown,
  end: string | undefined,
  pageAfter: (after: string) => Promise<ListPage>,
): ListPage => ({
  rows: Array.isArray(rows) ? rows : [],
  next: end === undefined ? undefined : () => pageAfter(end),
});

export interface Found {
  data: Record<string, unknown> | undefined;
  /** What stands at the route's place, as REST shows it; undefined where nothing does. */
  body: unknown;
}

function finder(schema: GraphQLSchema, document: string, at: readonly string[]) {
  const prepared = prepare(document);
  const shape: Shape = shapeAt(shapeOf(schema, document), at);
  return async (variables: Record<string, unknown>, { engine, principal }: KeyedCall): Promise<Found> => {
    const context = createSchemaContext({ engine, principal, via: 'rest' });
    const { data, error } = await run(prepared, variables, context);
    if (error !== undefined) throw error;
    return { data, body: present(shape, valueAt(data, at)) };
  };
}

/** Asks what must hold before a stream opens: answers whether the stream will end by itself. */
export function preflightAnswerer(schema: GraphQLSchema, preflight: Preflight): (call: KeyedCall) => Promise<boolean> {
  const find = finder(schema, preflight.document, preflight.at);
  return async (call) => {
    const { body } = await find(preflight.variables(call), call);
    if (body === undefined) throw notFound(preflight.missing);
    return preflight.isFinite(body);
  };
}

/** Where a keyset page ended, while more rows follow (4.4). */
function endOfPage(page: unknown): string | undefined {
  const end = valueAt(page, ['endCursor']);
  return valueAt(page, ['hasNextPage']) === true && typeof end === 'string' ? end : undefined;
}

const nextPosition = (seq: unknown): Headers | undefined =>
  typeof seq === 'number' ? { 'x-next-from': String(seq) } : undefined;
