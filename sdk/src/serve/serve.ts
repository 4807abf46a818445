import { consoleLogger, type LibraryLogger } from '../config.ts';
import { isInvokeRequest } from '../connect/frames.ts';
import { refusal } from '../execute/answer.ts';
import { Leftovers } from '../execute/leftovers.ts';
import { runPass } from '../execute/runPass.ts';
import type { Holdfast } from '../holdfast.ts';
import { sdkName, sdkVersion } from '../identity.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { InvokeRequest } from '../protocol.ts';
import { type RequestLimit, requestLimit } from '../requestLimit.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { readBody } from './readBody.ts';
import { verifySignature } from './signature.ts';

/** A handler of the Fetch API, as servers and edge platforms take it. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** The largest request, in bytes; `toNodeHandler` applies it. */
  readonly maxRequestBytes?: number;
  /** Receives the requests that `toNodeHandler` cannot serve. Default: the console. */
  readonly logger?: LibraryLogger;
}

/** Workflows without a client. The signing secret is given, not learned by `register`. */
export interface ServedWorkflows {
  workflows: readonly AnyWorkflow[];
  invokeSecret: string;
  /** Default: the console, from `warn` up. */
  logger?: LibraryLogger | undefined;
}

/**
 * Answers the service's invokes over HTTP. Runs only requests that the service signed. Answers
 * `GET` and `HEAD`, by which the service probes. Pass its address to `hf.register({ url })`.
 */
export function serve(source: Holdfast | ServedWorkflows, options: RequestLimit = {}): FetchHandler {
  const runner: Runner = 'invoke' in source ? source : fromWorkflows(source);
  const maxRequestBytes = requestLimit(options);
  const { logger } = runner;
  return Object.assign((request: Request) => handle(request, runner, maxRequestBytes), { maxRequestBytes, logger });
}

type Runner = Pick<Holdfast, 'invoke' | 'invokeSecrets' | 'logger'>;

function fromWorkflows({ workflows, invokeSecret, logger = consoleLogger }: ServedWorkflows): Runner {
  const byName = new Map(workflows.map((workflow) => [workflow.name, workflow]));
  const leftovers = new Leftovers();
  return {
    invokeSecrets: [invokeSecret],
    logger,
    invoke(request, signal) {
      const workflow = byName.get(request.ctx.workflow);
      return runPass(workflow, request, { leftovers, aiDefaults: workflow?.aiDefaults, signal });
    },
  };
}

async function handle(request: Request, runner: Runner, maxBytes: number): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return probed(request.method);
  if (request.method !== 'POST')
    return refused(405, 'the allowed methods are POST, GET and HEAD', { allow: 'POST, GET, HEAD' });
  const secrets = runner.invokeSecrets;
  // A 5xx makes the service retry; by then the registration may have completed.
  if (secrets.length === 0) return refused(503, 'this runner has not been registered yet');
  const declared = Number(request.headers.get('content-length') ?? 0);
  const body = declared > maxBytes ? undefined : await readBody(request.body ?? nothing(), maxBytes);
  if (body === undefined) return tooLarge(maxBytes);
  const verdict = verifySignature(request.headers.get('x-service-signature'), body, secrets);
  if (verdict !== 'valid') return refused(401, `the signature of the request is not valid: ${verdict}`);
  const invoke = parse(body);
  if (invoke === undefined) return refused(400, 'the body is not an invoke request');
  const reply = await runner.invoke(invoke, request.signal);
  return reply === undefined ? refused(503, 'the request was aborted') : json(reply.status, reply.body);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

export function tooLarge(maxBytes: number): Response {
  return refused(413, `the request is larger than the limit of ${maxBytes} bytes (maxRequestBytes)`);
}

function parse(body: Uint8Array): InvokeRequest | undefined {
  try {
    const request: unknown = JSON.parse(new TextDecoder().decode(body));
    return isInvokeRequest(request) ? asDeclared(request) : undefined;
  } catch {
    return undefined;
  }
}

function probed(method: string): Response {
  const body = JSON.stringify({ ok: true, sdk: sdkName, version: sdkVersion });
  return method === 'HEAD' ? new Response(null, { status: 200 }) : json(200, body);
}

export function refused(status: number, reason: string, headers: Record<string, string> = {}): Response {
  return json(status, refusal(status, reason).body, headers);
}

function json(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}
