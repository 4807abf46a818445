import type { EngineContext } from '../engine/context.ts';
import { invalid } from '../engine/errors.ts';
import { type JsonDocument, readJson } from '../engine/json/index.ts';
import { type Admitted, admitRequest, requireProject, requireWatch, requireWrite } from '../engine/keys/index.ts';
import { admitTicket } from '../engine/tickets/index.ts';
import { type BodyRoom, credentialsOf, presenceOf, readText } from '../http/index.ts';
import { readParameters, streamParameters } from './declare/parameters.ts';
import { readQuery } from './declare/query.ts';
import { type Route, readsBody } from './declare/route.ts';
import { refuseUndeclared, wantsStrict } from './declare/strict.ts';
import type { Endpoint } from './endpoints.ts';
import type { Match } from './matcher.ts';
import type { Reader } from './streams/runStream.ts';

export interface DispatchParts {
  engine: EngineContext;
  bodies: BodyRoom;
}

/** Path and query of a request, as they were sent. */
export interface SentUrl {
  path: string;
  search: string;
}

/**
 * Serves one request by its route: authenticates, authorizes, reads the request, then runs the
 * route. Throws the failure for the caller or the log.
 */
export async function dispatch(
  { engine, bodies }: DispatchParts,
  { route: { route, serve }, path }: Match<Endpoint>,
  url: SentUrl,
  reader: Reader,
): Promise<void> {
  const admitted = route.scope === 'none' ? undefined : await admit(engine, route, url, reader);
  const isStrict = route.kind !== 'raw' && wantsStrict(reader.request.headers);
  const query = readQuery(url.search);
  let body: JsonDocument | undefined;
  if (readsBody(route)) {
    const text = await readText(reader.request, bodies);
    body = parseBody(engine, route.body?.required ?? false, text);
  }
  if (isStrict) refuseUndeclared(route, query, body);
  // A route without a declared body does not receive the parsed body.
  await serve(
    { engine, principal: admitted?.principal, turn: admitted?.turn, path, query, body: route.body && body },
    { ...reader, bodies },
  );
}

/** 5. Checks rights and project before reading the body. */
async function admit(engine: EngineContext, route: Route, url: SentUrl, reader: Reader): Promise<Admitted> {
  const { scope } = route;
  const credentials = credentialsOf(reader.request);
  const caller = presenceOf(reader.response);
  if (route.kind === 'stream' && credentials.authorization === undefined) {
    const { ticket } = readParameters(streamParameters, readQuery(url.search));
    if (ticket !== undefined) return admitTicket(engine, { ticket, path: url.path }, caller);
  }
  const { principal, turn } = await admitRequest(engine, credentials, caller);
  if (scope === 'watch') {
    requireWatch(principal);
    return { principal, turn };
  }
  if (scope === 'write') requireWrite(principal);
  requireProject(principal);
  return { principal, turn };
}

function parseBody(engine: EngineContext, isRequired: boolean, text: string): JsonDocument | undefined {
  if (text !== '') return readJson(text, { maxDepth: engine.settings.limits.jsonDepth });
  if (isRequired) throw invalid('a JSON body is required');
  return undefined;
}
