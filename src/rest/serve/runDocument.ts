import type { ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { notFound } from '../../engine/errors.ts';
import { whenOver } from '../../http/index.ts';
import { prepare, run } from '../../schema/execute.ts';
import { createSchemaContext } from '../../schema/machinery/context.ts';
import { type Answer, type Headers, nextCursorHeader, nextFromHeader } from '../declare/answer.ts';
import { present, shapeAt, shapeBeside, valueAt } from '../declare/present.ts';
import type { DocumentRoute, KeyedCall, Preflight } from '../declare/route.ts';
import { type Shape, shapeOf, variableConverter } from '../declare/shape.ts';
import type { ListPage } from './wholeList.ts';

/** A list that is written page by page. */
export interface ListAnswer {
  status: number;
  list: ListPage;
}

/** Answers a request. Throws the failure for the caller or the log. */
export type Answerer = (call: KeyedCall, response: ServerResponse) => Promise<Answer | ListAnswer>;

/**
 * Prepares a route's document, and returns a function that executes it. Throws if the document does
 * not fit the schema.
 */
export function documentAnswerer(schema: GraphQLSchema, route: DocumentRoute): Answerer {
  const { status, at, beside, missing, page, whole, nextFrom } = route.success;
  const find = finder(schema, route.document, at, beside);
  const endOf = ({ data }: Found): string | undefined => page && endOfPage(valueAt(data, page));
  return async (call, response) => {
    const variables = route.variables(call);
    const found = await find(variables, call, response);
    if (status === 204) return { status };
    const { data, body } = found;
    if (body === undefined) throw notFound(missing);
    if (nextFrom) return { status, body, headers: nextPosition(valueAt(data, nextFrom)) };
    const end = endOf(found);
    if (end === undefined) return { status, body };
    if (!whole) return { status, body, headers: { [nextCursorName]: end } };
    const toPage = (of: Found): ListPage => {
      const after = endOf(of);
      const next = async () => toPage(await find({ ...variables, after }, call, response));
      return {
        rows: Array.isArray(of.body) ? of.body : [],
        next: after === undefined ? undefined : next,
        release: of.release,
      };
    };
    return { status, list: toPage(found) };
  };
}

export interface Found {
  data: Record<string, unknown> | undefined;
  /** The value at the route's path in its REST form; undefined if there is none. */
  body: unknown;
  /**
   * Releases the memory of the answer. Called by itself when the answer has been sent, or the
   * caller has gone.
   */
  release(): void;
}

function finder(
  schema: GraphQLSchema,
  document: string,
  at: readonly string[],
  beside: DocumentRoute['success']['beside'] = {},
) {
  const prepared = prepare(document);
  const whole: Shape = shapeOf(schema, document);
  const shape: Shape = shapeAt(whole, at);
  const further = shapeBeside(whole, beside);
  const hasFurther = further.members.length > 0;
  const bodyOf = (data: Record<string, unknown> | undefined): unknown => {
    const body = present(shape, valueAt(data, at));
    if (!hasFurther || typeof body !== 'object') return body;
    const values = Object.fromEntries(Object.entries(beside).map(([key, path]) => [key, valueAt(data, path)]));
    return { ...body, ...Object(present(further, values)) };
  };
  const toVariables = variableConverter(schema, document);
  return async (
    variables: Record<string, unknown>,
    { engine, principal, turn }: KeyedCall,
    response: ServerResponse,
  ): Promise<Found> => {
    const context = createSchemaContext({ engine, principal, turn, via: 'rest' });
    const forget = whenOver(response, () => context.release());
    const { data, error } = await run(prepared, toVariables(variables), context);
    const release = (): void => {
      forget();
      context.release();
    };
    if (error === undefined) return { data, body: bodyOf(data), release };
    release();
    throw error;
  };
}

/** Runs a stream's preflight, and answers whether the stream will end by itself. */
export function preflightAnswerer(
  schema: GraphQLSchema,
  preflight: Preflight,
): (call: KeyedCall, response: ServerResponse) => Promise<boolean> {
  const find = finder(schema, preflight.document, preflight.at);
  return async (call, response) => {
    const { body, release } = await find(preflight.variables(call), call, response);
    release();
    if (body === undefined) throw notFound(preflight.missing);
    return preflight.isFinite(body);
  };
}

/** The end cursor of a keyset page, if more rows follow (4.4). */
function endOfPage(page: unknown): string | undefined {
  const end = valueAt(page, ['endCursor']);
  return valueAt(page, ['hasNextPage']) === true && typeof end === 'string' ? end : undefined;
}

const nextCursorName = nextCursorHeader.toLowerCase();
const nextFromName = nextFromHeader.toLowerCase();

const nextPosition = (seq: unknown): Headers | undefined =>
  typeof seq === 'number' ? { [nextFromName]: String(seq) } : undefined;
