import type { EngineContext } from '../engine/context.ts';
import { invalid } from '../engine/errors.ts';
import { type JsonDocument, readJson } from '../engine/json/index.ts';
import { type Admitted, admitRequest, requireProject, requireWatch, requireWrite } from '../engine/keys/index.ts';
import { type BodyRoom, credentialsOf, presenceOf, readText } from '../http/index.ts';
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

/**
 * Serves one request by its route: authenticates, authorizes, reads the request, then runs the
 * route. Throws the failure for the caller or the log.
 */
export async function dispatch(
  { engine, bodies }: DispatchParts,
  { route: { route, serve }, path }: Match<Endpoint>,
  search: string,
  reader: Reader,
): Promise<void> {
  const admitted = route.scope === 'none' ? undefined : await admit(engine, route, reader);
  const isStrict = route.kind !== 'raw' && wantsStrict(reader.request.headers);
  const query = readQuery(search);
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
async function admit(engine: EngineContext, { scope }: Route, reader: Reader): Promise<Admitted> {
  const { principal, turn } = await admitRequest(engine, credentialsOf(reader.request), presenceOf(reader.response));
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
