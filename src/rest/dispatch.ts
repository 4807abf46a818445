import type { IncomingMessage } from 'node:http';
import type { EngineContext } from '../engine/context.ts';
import { invalid } from '../engine/errors.ts';
import { type JsonDocument, readJson } from '../engine/json/index.ts';
import { authenticate, type Principal, requireProject, requireWatch, requireWrite } from '../engine/keys/index.ts';
import { credentialsOf, readText } from '../http/index.ts';
import { readQuery } from './declare/query.ts';
import { type Route, readsBody } from './declare/route.ts';
import type { Endpoint } from './endpoints.ts';
import type { Match } from './matcher.ts';
import type { Reader } from './streams/runStream.ts';

/**
 * Serves one request by its route: who calls, may they, what did they send, then the route's own
 * work. Throws what the caller or the log is to be told.
 */
export async function dispatch(
  engine: EngineContext,
  { route: { route, serve }, path }: Match<Endpoint>,
  search: string,
  reader: Reader,
): Promise<void> {
  const principal = route.scope === 'none' ? undefined : await admit(engine, route, reader.request);
  const query = readQuery(search);
  const body = readsBody(route) ? await readBody(engine, route.body?.required ?? false, reader.request) : undefined;
  // A route that takes no body is not told what was sent.
  await serve({ engine, principal, path, query, body: route.body && body }, reader);
}

/** 5. Rights and project are settled before anything is read of the body. */
async function admit(engine: EngineContext, { scope }: Route, request: IncomingMessage): Promise<Principal> {
  const principal = await authenticate(engine, credentialsOf(request));
  if (scope === 'watch') {
    requireWatch(principal);
    return principal;
  }
  if (scope === 'write') requireWrite(principal);
  requireProject(principal);
  return principal;
}

async function readBody(
  engine: EngineContext,
  isRequired: boolean,
  request: IncomingMessage,
): Promise<JsonDocument | undefined> {
  const text = await readText(request);
  if (text !== '') return readJson(text, { maxDepth: engine.settings.limits.jsonDepth });
  if (isRequired) throw invalid('a JSON body is required');
  return undefined;
}
