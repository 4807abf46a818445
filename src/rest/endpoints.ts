import type { GraphQLSchema } from 'graphql';
import { unauthenticated } from '../engine/errors.ts';
import { send } from './declare/answer.ts';
import type { AppParts, Call, KeyedCall, Route } from './declare/route.ts';
import { documentAnswerer } from './serve/runDocument.ts';
import { writeWholeList } from './serve/wholeList.ts';
import { type Reader, type Streaming, streamer } from './streams/runStream.ts';

/** A route with its document parsed and its shape known. */
export interface Endpoint {
  method: string;
  path: string;
  route: Route;
  serve(call: Call, reader: Reader): Promise<void>;
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
    case 'exception':
      return async (call, { response }) => send(response, await route.answer(call, service));
  }
}

function keyed(call: Call): KeyedCall {
  const { principal, turn } = call;
  if (!principal || !turn) throw unauthenticated();
  return { ...call, principal, turn };
}
