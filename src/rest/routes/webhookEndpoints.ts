import { lifecycleKinds } from '../../engine/lifecycle/index.ts';
import { endpointSchemes, maxUrlLength } from '../../engine/webhooks/config/index.ts';
import {
  clearable,
  narrowed,
  neverNull,
  optionalFlag,
  optionalText,
  optionalWord,
  optionalWords,
  requiredText,
  requiredWords,
} from '../declare/fields.ts';
import { documentRoute } from '../declare/route.ts';
import { firstSecret, secretChange } from './webhookSecrets.ts';

const endpoint = /* GraphQL */ `
  fragment WebhookEndpoint on WebhookEndpoint {
    id name app url eventKinds scheme enabled disabledAt previousSecretUntil createdAt updatedAt
  }`;

const missing = 'webhook endpoint not found';

const filled = { minLength: 1 };
const name = clearable(narrowed(optionalText('A label, unique in the project.'), filled));
const app = clearable(narrowed(optionalText('Only changes of this app; all apps when left out.'), filled));
const httpUrl = { pattern: '^https?://' };
const kindsOnce = { minItems: 1, uniqueItems: true };

/** 4.8, newest first. Shows no secret. */
export const listWebhookEndpoints = documentRoute({
  method: 'GET',
  path: '/webhook-endpoints',
  scope: 'read',
  group: 'webhooks',
  summary: 'List all endpoints, newest first',
  document: /* GraphQL */ `
    query ListWebhookEndpoints($first: Int, $after: String) {
      webhookEndpoints(first: $first, after: $after) { nodes { ...WebhookEndpoint } pageInfo { hasNextPage endCursor } }
    }
    ${endpoint}`,
  success: { status: 200, at: ['webhookEndpoints', 'nodes'], page: ['webhookEndpoints', 'pageInfo'], whole: true },
});

/** 4.8. Shows no secret. */
export const getWebhookEndpoint = documentRoute({
  method: 'GET',
  path: '/webhook-endpoints/{id}',
  scope: 'read',
  group: 'webhooks',
  summary: 'Get an endpoint',
  document: /* GraphQL */ `
    query GetWebhookEndpoint($id: ID!) { webhookEndpoint(id: $id) { ...WebhookEndpoint } }
    ${endpoint}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['webhookEndpoint'], missing },
});

/** 4.8. The answer is the only one that shows the secret. */
export const createWebhookEndpoint = documentRoute({
  method: 'POST',
  path: '/webhook-endpoints',
  scope: 'write',
  group: 'webhooks',
  summary: 'Create an endpoint, and show its secret once',
  body: {
    required: true,
    isStrict: true,
    fields: {
      name,
      app,
      url: narrowed(requiredText('Where deliveries are posted: an http or https URL.', maxUrlLength), httpUrl),
      eventKinds: narrowed(requiredWords(lifecycleKinds, 'The changes of runs and steps to be told of.'), kindsOnce),
      enabled: optionalFlag('Default: true.'),
      scheme: optionalWord(endpointSchemes, 'How deliveries are signed; `service` when left out.'),
      secret: firstSecret,
    },
  },
  document: /* GraphQL */ `
    mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
      createWebhookEndpoint(input: $input) { webhookEndpoint { ...WebhookEndpoint } secret }
    }
    ${endpoint}`,
  variables: ({ body }) => ({ input: body }),
  success: {
    status: 201,
    at: ['createWebhookEndpoint', 'webhookEndpoint'],
    name: 'WebhookEndpointAndSecret',
    beside: { secret: ['createWebhookEndpoint', 'secret'] },
  },
  failures: [409],
});

/** 4.8. Answers the new secret after a rotation. */
export const updateWebhookEndpoint = documentRoute({
  method: 'PATCH',
  path: '/webhook-endpoints/{id}',
  scope: 'write',
  group: 'webhooks',
  summary: 'Change an endpoint, or rotate its secret',
  body: {
    required: true,
    isStrict: true,
    fields: {
      name,
      app,
      url: neverNull(
        narrowed(optionalText('Where deliveries are posted: an http or https URL.', maxUrlLength), httpUrl),
      ),
      eventKinds: neverNull(
        narrowed(optionalWords(lifecycleKinds, 'The changes of runs and steps to be told of.'), kindsOnce),
      ),
      enabled: neverNull(optionalFlag('`true` also takes up an endpoint that the service disabled.')),
      scheme: neverNull(optionalWord(endpointSchemes, 'How deliveries are signed.')),
      ...secretChange,
    },
  },
  document: /* GraphQL */ `
    mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
      updateWebhookEndpoint(input: $input) { webhookEndpoint { ...WebhookEndpoint } secret }
    }
    ${endpoint}`,
  variables: ({ path, body }) => ({ input: { ...body, id: path.id } }),
  success: {
    status: 200,
    at: ['updateWebhookEndpoint', 'webhookEndpoint'],
    name: 'ChangedWebhookEndpoint',
    beside: { secret: ['updateWebhookEndpoint', 'secret'] },
  },
  failures: [404, 409],
});

/** 4.8 */
export const deleteWebhookEndpoint = documentRoute({
  method: 'DELETE',
  path: '/webhook-endpoints/{id}',
  scope: 'write',
  group: 'webhooks',
  summary: 'Delete an endpoint',
  document: /* GraphQL */ `
    mutation DeleteWebhookEndpoint($input: DeleteWebhookEndpointInput!) {
      deleteWebhookEndpoint(input: $input) { webhookEndpoint { id } }
    }`,
  variables: ({ path }) => ({ input: { id: path.id } }),
  success: { status: 204, at: ['deleteWebhookEndpoint', 'webhookEndpoint'] },
  failures: [404],
});
