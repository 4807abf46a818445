import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import type { Express, Request, Response } from 'express';
import { cutWhenStuck, HttpError } from '../http/index.ts';
import { type BuiltConsole, codings } from './builtFiles.ts';
import { assetHeaders, notBuiltPage, pageHeaders } from './pageHeaders.ts';
import { type SignInOptions, serveSignIn } from './signIn.ts';

export interface ConsoleOptions extends SignInOptions {
  /** Undefined: it was not built. A page then says how to build it. */
  built: BuiltConsole | undefined;
}

/**
 * Serves the web console under `/console`: its assets, its sign-in, and its page at any other path,
 * because the page reads the path itself. The files are the same for everybody and need no key.
 */
export function serveConsole(app: Express, { built, ...signIn }: ConsoleOptions): void {
  serveSignIn(app, signIn);
  app.use('/console/assets', (request, response) => sendAsset(built, request, response));
  app.use('/console', (request, response) => sendPage(built, request, response));
}

/** A missing asset is not the page: a tab of another version must see that it is outdated. */
function sendAsset(built: BuiltConsole | undefined, request: Request, response: Response): void {
  demandRead(request, 'GET, HEAD');
  const name = request.path.slice(1);
  const asset = built?.assets.get(name);
  if (!asset) {
    response.status(404).set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).type('text/plain');
    response.send('not found: this version of the console has no such file\n');
    return;
  }
  const coding = codings.find((each) => asset[each] && request.acceptsEncodings(each)) ?? 'identity';
  response.vary('accept-encoding').set(assetHeaders).type(extname(name));
  if (coding !== 'identity') response.set('content-encoding', coding);
  cutWhenStuck(response);
  response.send(asset[coding]);
}

function sendPage(built: BuiltConsole | undefined, request: Request, response: Response): void {
  demandRead(request, /^\/(codes|session)$/.test(request.path) ? 'GET, HEAD, POST' : 'GET, HEAD');
  const nonce = randomBytes(18).toString('base64');
  response.set(pageHeaders(nonce)).type('text/html');
  cutWhenStuck(response);
  if (built) response.send(built.page.join(nonce));
  else response.status(503).send(notBuiltPage);
}

function demandRead({ method }: Request, allow: string): void {
  if (method !== 'GET' && method !== 'HEAD') throw new HttpError(405, 'method not allowed', { allow });
}
