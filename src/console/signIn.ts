import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import type { EngineContext } from '../engine/context.ts';
import { forbidden, invalid } from '../engine/errors.ts';
import { admitRequest, bearerToken, requireWrite } from '../engine/keys/index.ts';
import { issueConsoleCode, redeemConsoleCode } from '../engine/tickets/index.ts';
import {
  type BodyRoom,
  bodyTooLarge,
  credentialsOf,
  foreignOrigin,
  HttpError,
  type Origins,
  presenceOf,
  readText,
} from '../http/index.ts';

export interface SignInOptions {
  engine: EngineContext;
  /** The memory for bodies that are arriving. */
  bodies: BodyRoom;
  /** The origins of pages that may exchange a code: the service's own. */
  origins: Origins;
}

/**
 * Serves the sign-in by a code. `holdfast console` asks for a code with its key, and opens the page
 * with the code after `#`, which browsers send to no server. The page exchanges the code for the
 * key. So the key is in no URL, and a code in a history of a browser opens nothing.
 */
export function serveSignIn(app: Express, options: SignInOptions): void {
  app.post('/console/codes', (request, response) => answerCode(options, request, response));
  app.post('/console/session', (request, response) => answerSession(options, request, response));
}

async function answerCode({ engine }: SignInOptions, request: Request, response: Response): Promise<void> {
  const credentials = credentialsOf(request);
  const { principal } = await admitRequest(engine, credentials, presenceOf(response));
  requireWrite(principal);
  const key = bearerToken(credentials.authorization);
  if (principal.kind === 'operator' || key === undefined)
    throw forbidden('a sign-in code needs a key of the project: paste the operator key into the console');
  const { keyId, projectId } = principal;
  const { code, expiresAt } = await issueConsoleCode(engine, { projectId, keyId, key });
  response.status(201).set('cache-control', 'no-store').json({ code, expiresAt });
}

/** Longer bodies hold no code. */
const maxCharacters = 1_000;
const sentCode = z.object({ code: z.string() });

async function answerSession(
  { engine, bodies, origins }: SignInOptions,
  request: Request,
  response: Response,
): Promise<void> {
  if (origins.isForeign(request)) throw forbidden(foreignOrigin);
  if (!request.is('application/json')) throw new HttpError(415, 'the content type must be application/json');
  if (Number(request.headers['content-length'] ?? 0) > maxCharacters) throw bodyTooLarge();
  const text = await readText(request, bodies);
  if (text.length > maxCharacters) throw bodyTooLarge();
  const { key, projectId } = await redeemConsoleCode(engine, codeOf(text), presenceOf(response));
  response.set('cache-control', 'no-store').json({ key, project: projectId });
}

function codeOf(text: string): string {
  const sent = sentCode.safeParse(parsed(text));
  if (!sent.success) throw invalid('the body must be JSON with the field code, a string');
  return sent.data.code;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
