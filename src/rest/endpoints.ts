import type { ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { unauthenticated } from '../engine/errors.ts';
import { Operation } from '../engine/operation.ts';
import { type BodyRoom, whenOver } from '../http/index.ts';
import { type Answer, send } from './declare/answer.ts';
import type { AppParts, Call, ExceptionRoute, KeyedCall, Route } from './declare/route.ts';
import { documentAnswerer } from './serve/runDocument.ts';
import { writeWholeList } from './serve/wholeList.ts';
import { type Reader, type Streaming, streamer } from './streams/runStream.ts';

/** A route with its document parsed and its shape known. */
export interface Endpoint {
  method: string;
  path: string;
  route: Route;
  serve(call: Call, reader: Reader & { bodies: BodyRoom }): Promise<void>;
}

export interface Surroundings {
  schema: GraphQLSchema;
  service: AppParts;
  streaming: Streaming;
}

/** Prepares every route. Throws if a document does not fit the schema. */
export const endpointsOf = (routes: readonly Route[], surroundings: Surroundings): Endpoint[] =>
  routes.map((route) => ({ method: route.method, path: route.path, route, serve: serving(route, surroundings) }));

function serving(route: Route, { schema, service, streaming }: Surroundings): Endpoint['serve'] {
  switch (route.kind) {
    case 'document': {
      const answer = documentAnswerer(schema, route);
      return async (call, { response }) => {
        const found = await answer(keyed(call), response);
        if ('list' in found) await writeWholeList(response, found.status, found.list);
        else send(response, found);
      };
    }
    case 'stream': {
      const stream = streamer(schema, route, streaming);
      return (call, reader) => stream(keyed(call), reader);
    }
    case 'raw':
      return async ({ engine, path }, reader) =>
        send(reader.response, await route.answer({ engine, path, ...reader }, service));
    case 'exception': {
      const answer = route.scope === 'write' ? atTurn(route) : route.answer;
      return async (call, { response }) => send(response, await answer(call, service, response));
    }
  }
}

/** A project's call without a document waits for its turn, too. */
const atTurn =
  (route: ExceptionRoute) =>
  async (call: Call, service: AppParts, response: ServerResponse): Promise<Answer> => {
    const operation = new Operation(call.engine, call.principal?.projectId);
    const forget = whenOver(response, () => operation.drop());
    const { engine } = operation;
    return operation.run(() => route.answer({ ...call, engine }, service)).finally(forget);
  };

function keyed(call: Call): KeyedCall {
  const { principal, turn } = call;
  if (!principal || !turn) throw unauthenticated();
  return { ...call, principal, turn };
}
