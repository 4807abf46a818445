import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { HoldfastError } from '../engine/errors.ts';
import { type JsonDocument, readJson } from '../engine/json/index.ts';
import type { SentOperation } from './operation.ts';
import type { SentVariables } from './variables.ts';

/** The text of parsed parameters, as long as these exist. */
const texts = new WeakMap<object, SentVariables>();

export const sentVariables = (params: GraphQLParams): SentVariables | undefined => texts.get(params);

/** Reads `{query, variables, operationName}` without Yoga, to keep the text of the variables. */
export function useRequestBody(maxDepth: number): Plugin<object, { body: string }> {
  return {
    onRequestParse({ request, url, serverContext, setRequestParser }) {
      if (request.method === 'GET') setRequestParser(() => readQuery(url.searchParams, maxDepth));
      if (request.method === 'POST') setRequestParser(() => readBody(serverContext.body, maxDepth));
    },
  };
}

/**
 * The parameters of a request as an operation; undefined if they have a mistake, which Yoga
 * answers.
 */
export function readParams(
  { method, url = '' }: IncomingMessage,
  body: string,
  maxDepth: number,
): SentOperation | undefined {
  try {
    const params =
      method === 'POST' ? readBody(body, maxDepth) : readQuery(new URL(url, 'http://_').searchParams, maxDepth);
    const { query = '', operationName, variables } = params;
    const sent = variables ? sentVariables(params) : undefined;
    return { query, operationName: operationName || undefined, variables: variables ?? {}, sent };
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

function readBody(text: string, maxDepth: number): GraphQLParams {
  const json = readText(text, maxDepth);
  const { value } = json;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('the body must be a JSON object with a query');
  }
  if (!('query' in value) || typeof value.query !== 'string') throw badRequest('query must be a string');
  const params: GraphQLParams = { query: value.query, ...knownMembers(value) };
  texts.set(params, { json, path: ['variables'] });
  return params;
}

/** The known members of a request; others are ignored, as in REST. */
const members = ['variables', 'operationName', 'extensions'] as const;

const knownMembers = (body: object): Omit<GraphQLParams, 'query'> =>
  Object.fromEntries(members.map((name) => [name, Reflect.get(body, name)]));

function readQuery(search: URLSearchParams, maxDepth: number): GraphQLParams {
  const params: GraphQLParams = {};
  const query = search.get('query');
  const operationName = search.get('operationName');
  const variables = search.get('variables');
  if (query === null) throw badRequest('query is required');
  params.query = query;
  if (operationName) params.operationName = operationName;
  if (variables) {
    const json = readText(variables, maxDepth);
    const { value } = json;
    if (typeof value !== 'object') throw badRequest('variables must be a JSON object');
    if (value !== null) params.variables = value;
    texts.set(params, { json, path: [] });
  }
  return params;
}

function readText(text: string, maxDepth: number): JsonDocument {
  try {
    return readJson(text, { maxDepth });
  } catch (error) {
    throw error instanceof HoldfastError ? badRequest(error.message) : error;
  }
}

const badRequest = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { http: { status: 400 } } });
