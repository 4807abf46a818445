import { protocolVersion } from '@holdfast/sdk/protocol';
import { maxNameLength } from '../../engine/codePoints.ts';
import { unauthenticated } from '../../engine/errors.ts';
import { requireProject } from '../../engine/keys/index.ts';
import { maxInFlightLimit, maxRunnerUrlLength } from '../../engine/registry/index.ts';
import { registerRunner } from '../../engine/runners/index.ts';
import { HttpError } from '../../http/index.ts';
import { described, narrowed, optionalText, requiredText } from '../declare/fields.ts';
import { exceptionRoute } from '../declare/route.ts';
import { confirmWebhook, receiveWebhook } from './webhookMessages.ts';

// The routes without a GraphQL document, and the reason for each. `/graphql` and upgrades do not
// reach REST, and `eventStream.ts` writes the frames of streams.

const registration = {
  app: requiredText('The app that the workflows belong to.'),
  runner: optionalText('The runner’s stable id, to which runs can be pinned; its URL when absent.'),
  url: narrowed(requiredText('The URL to which the service posts its invokes.', maxRunnerUrlLength), {
    pattern: '^https?://',
  }),
  maxInFlight: {
    ...described(
      { type: 'integer', minimum: 1, maximum: maxInFlightLimit },
      'How many passes it takes at once; 100 when absent.',
    ),
    takesNull: true,
  },
  runtime: optionalText('The runtime, such as node, bun or deno.'),
  language: optionalText('The programming language.'),
  framework: optionalText('The web framework.'),
  sdkName: optionalText('The client library.'),
  version: optionalText('The version of the client library.'),
  region: optionalText('The region of the runner.'),
  protocolVersion: {
    ...described({ type: 'integer', enum: [protocolVersion] }, 'Assumed to match when absent.'),
    takesNull: true,
  },
  workflows: described(
    {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 1, maxLength: maxNameLength } },
      },
    },
    'The definitions: `name`, and optionally `triggers`, `retry`, `onFailure`, `steps` and flow-control policies.',
    true,
  ),
};

/** 4.10. The runner protocol: the registry parses the body, like a `hello` frame. */
export const register = exceptionRoute({
  method: 'POST',
  path: '/register',
  scope: 'write',
  group: 'runners',
  summary: 'Register a runner that is invoked over HTTP, with its workflows',
  body: { required: true, fields: registration },
  success: {
    status: 200,
    type: 'application/json',
    name: 'Registration',
    schema: {
      type: 'object',
      required: ['runnerId', 'app', 'workflows', 'protocolVersion', 'invokeSecret'],
      properties: {
        runnerId: { type: 'string' },
        app: { type: 'string' },
        workflows: { type: 'array', items: { type: 'string' } },
        protocolVersion: { type: 'integer' },
        invokeSecret: { type: 'string', description: 'The secret that signs every invoke to the runners of this app.' },
      },
    },
  },
  async answer({ engine, principal, body }) {
    if (!principal) throw unauthenticated();
    const projectId = requireProject(principal);
    return { status: 200, body: await registerRunner(engine, { projectId, registration: body?.value }) };
  },
});

/** 4.10. The dispatcher handles upgrades. Requests that arrive here did not ask for one. */
export const connect = exceptionRoute({
  method: 'GET',
  path: '/connect',
  scope: 'write',
  group: 'runners',
  summary: 'Connect a runner by WebSocket, over which it receives its invokes',
  failures: [426, 503],
  success: { status: 101 },
  async answer() {
    throw new HttpError(426, 'this path accepts only WebSocket connections of runners', {
      upgrade: 'websocket',
      connection: 'Upgrade',
    });
  },
});

const ok = { type: 'object', required: ['status'], properties: { status: { type: 'string', const: 'ok' } } } as const;

/** For supervisors: answered without the database, because a restart would not help it. */
export const live = exceptionRoute({
  method: 'GET',
  path: '/health/live',
  scope: 'none',
  group: 'service',
  summary: 'Check whether the process answers',
  success: { status: 200, type: 'application/json', name: 'Health', schema: ok },
  answer: async () => ({ status: 200, body: { status: 'ok' } }),
});

/** For load balancers. */
export const ready = exceptionRoute({
  method: 'GET',
  path: '/health/ready',
  scope: 'none',
  group: 'service',
  summary: 'Check whether the database answers and is migrated',
  failures: [503],
  success: { status: 200, type: 'application/json', name: 'Health', schema: ok },
  async answer(_call, service) {
    const reason = await service.readiness.reason();
    if (reason !== undefined) throw new HttpError(503, reason);
    return { status: 200, body: { status: 'ok' } };
  },
});

/**
 * For Prometheus: sums over all projects, without their names. The key of a project sees the names
 * of its own apps and workflows only.
 */
export const metrics = exceptionRoute({
  method: 'GET',
  path: '/metrics',
  scope: 'watch',
  group: 'service',
  summary: 'Get metrics for Prometheus',
  success: { status: 200, type: 'text/plain', schema: { type: 'string' } },
  async answer({ principal }, { metrics }) {
    if (!principal) throw unauthenticated();
    const projectId = principal.kind === 'operator' ? undefined : principal.projectId;
    return { status: 200, text: await metrics.text(projectId), type: metrics.contentType };
  },
});

export const openApi = exceptionRoute({
  method: 'GET',
  path: '/openapi.json',
  scope: 'none',
  group: 'service',
  summary: 'Get this description',
  success: { status: 200, type: 'application/json', schema: { type: 'object' } },
  answer: async (_call, service) => ({ status: 200, text: service.openApi, type: 'application/json; charset=utf-8' }),
});

export const exceptions = [register, connect, receiveWebhook, confirmWebhook, live, ready, metrics, openApi];
