import type { ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { notFound } from '../../engine/errors.ts';
import { whenOver } from '../../http/index.ts';
import { type Answer, type Headers, nextCursorHeader, nextFromHeader } from '../declare/answer.ts';
import { valueAt } from '../declare/present.ts';
import type { DocumentRoute, KeyedCall, Preflight } from '../declare/route.ts';
import { bodyFinder, endOfPage, type Found, type Wanting } from './findBody.ts';
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
  const { status, missing, page, whole, nextFrom } = route.success;
  const find = bodyFinder(schema, route);
  const endOf = ({ data }: Found): string | undefined => page && endOfPage(valueAt(data, page));
  return async (call, response) => {
    const variables = route.variables(call);
    const found = await find(variables, wanting(call, response));
    if (status === 204) return { status };
    const { data, body } = found;
    if (body === undefined) throw notFound(missing);
    if (nextFrom) return { status, body, headers: nextPosition(valueAt(data, nextFrom)) };
    const end = endOf(found);
    if (end === undefined) return { status, body };
    if (!whole) return { status, body, headers: { [nextCursorName]: end } };
    const toPage = (of: Found): ListPage => {
      const after = endOf(of);
      const next = async () => toPage(await find({ ...variables, after }, wanting(call, response)));
      return {
        rows: Array.isArray(of.body) ? of.body : [],
        next: after === undefined ? undefined : next,
        release: of.release,
      };
    };
    return { status, list: toPage(found) };
  };
}

/** A request of REST that waits for a body. */
const wanting = ({ engine, principal, turn }: KeyedCall, response: ServerResponse): Wanting => ({
  engine,
  principal,
  turn,
  via: 'rest',
  whenGone: (release) => whenOver(response, release),
});

/** Runs a stream's preflight, and answers whether the stream will end by itself. */
export function preflightAnswerer(
  schema: GraphQLSchema,
  preflight: Preflight,
): (call: KeyedCall, response: ServerResponse) => Promise<boolean> {
  const find = bodyFinder(schema, { document: preflight.document, success: { at: preflight.at } });
  return async (call, response) => {
    const { body, release } = await find(preflight.variables(call), wanting(call, response));
    release();
    if (body === undefined) throw notFound(preflight.missing);
    return preflight.isFinite(body);
  };
}

const nextCursorName = nextCursorHeader.toLowerCase();
const nextFromName = nextFromHeader.toLowerCase();

const nextPosition = (seq: unknown): Headers | undefined =>
  typeof seq === 'number' ? { [nextFromName]: String(seq) } : undefined;
