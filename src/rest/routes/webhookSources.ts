import { handshakes, maxExposedHeaders, sourceSchemes, tokenShape } from '../../engine/webhooks/config/index.ts';
import {
  clearable,
  narrowed,
  neverNull,
  optionalFlag,
  optionalText,
  optionalTexts,
  optionalWord,
  requiredText,
} from '../declare/fields.ts';
import { documentRoute } from '../declare/route.ts';
import { firstSecret, secretChange } from './webhookSecrets.ts';

const source = /* GraphQL */ `
  fragment WebhookSource on WebhookSource {
    id name app eventName targetApp dedupeKey scheme handshake exposeHeaders enabled token receiveUrl
    previousSecretUntil createdAt updatedAt
  }`;

const missing = 'webhook source not found';

const filled = { minLength: 1 };
const headerNames = { maxItems: maxExposedHeaders, uniqueItems: true };

const optional = {
  name: clearable(narrowed(optionalText('A label, unique in the project.'), filled)),
  app: clearable(narrowed(optionalText('The app of its events.'), filled)),
  targetApp: clearable(narrowed(optionalText('Its events start workflows of this app only.'), filled)),
  dedupeKey: clearable(
    optionalText('A dotted path into the body. A repeat of the value there within 24 hours makes no event.', 1000),
  ),
  handshake: clearable(optionalWord(handshakes, 'How the sender confirms the address when it is set up.')),
  exposeHeaders: clearable(
    narrowed(optionalTexts('At most 20 names of headers that come along as `event.headers`.'), headerNames),
  ),
};

/** 4.8, newest first. Shows no secret. */
export const listWebhookSources = documentRoute({
  method: 'GET',
  path: '/webhook-sources',
  scope: 'read',
  group: 'webhooks',
  summary: 'List all sources, newest first',
  document: /* GraphQL */ `
    query ListWebhookSources($first: Int, $after: String) {
      webhookSources(first: $first, after: $after) { nodes { ...WebhookSource } pageInfo { hasNextPage endCursor } }
    }
    ${source}`,
  success: { status: 200, at: ['webhookSources', 'nodes'], page: ['webhookSources', 'pageInfo'], whole: true },
});

/** 4.8. Shows no secret. */
export const getWebhookSource = documentRoute({
  method: 'GET',
  path: '/webhook-sources/{id}',
  scope: 'read',
  group: 'webhooks',
  summary: 'Get a source',
  document: /* GraphQL */ `
    query GetWebhookSource($id: ID!) { webhookSource(id: $id) { ...WebhookSource } }
    ${source}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['webhookSource'], missing },
});

/** 4.8. The answer is the only one that shows the secret. */
export const createWebhookSource = documentRoute({
  method: 'POST',
  path: '/webhook-sources',
  scope: 'write',
  group: 'webhooks',
  summary: 'Create a source, and show its secret once',
  body: {
    required: true,
    isStrict: true,
    fields: {
      ...optional,
      eventName: requiredText('The name of the event that a verified message becomes.'),
      scheme: optionalWord(sourceSchemes, 'How the sender signs its messages; `service` when left out.'),
      enabled: optionalFlag('Default: true.'),
      token: narrowed(optionalText('A known token of 16 to 128 URL-safe characters; generated when left out.', 128), {
        pattern: tokenShape.source,
      }),
      secret: firstSecret,
    },
  },
  document: /* GraphQL */ `
    mutation CreateWebhookSource($input: CreateWebhookSourceInput!) {
      createWebhookSource(input: $input) { webhookSource { ...WebhookSource } secret }
    }
    ${source}`,
  variables: ({ body }) => ({ input: body }),
  success: {
    status: 201,
    at: ['createWebhookSource', 'webhookSource'],
    name: 'WebhookSourceAndSecret',
    beside: { secret: ['createWebhookSource', 'secret'] },
  },
  failures: [409],
});

/** 4.8. Answers the new secret after a rotation. */
export const updateWebhookSource = documentRoute({
  method: 'PATCH',
  path: '/webhook-sources/{id}',
  scope: 'write',
  group: 'webhooks',
  summary: 'Change a source, or rotate its secret',
  body: {
    required: true,
    isStrict: true,
    fields: {
      ...optional,
      eventName: neverNull(narrowed(optionalText('The name of the event that a verified message becomes.'), filled)),
      scheme: neverNull(optionalWord(sourceSchemes, 'How the sender signs its messages.')),
      enabled: neverNull(optionalFlag('`false` makes its address unknown.')),
      ...secretChange,
    },
  },
  document: /* GraphQL */ `
    mutation UpdateWebhookSource($input: UpdateWebhookSourceInput!) {
      updateWebhookSource(input: $input) { webhookSource { ...WebhookSource } secret }
    }
    ${source}`,
  variables: ({ path, body }) => ({ input: { ...body, id: path.id } }),
  success: {
    status: 200,
    at: ['updateWebhookSource', 'webhookSource'],
    name: 'ChangedWebhookSource',
    beside: { secret: ['updateWebhookSource', 'secret'] },
  },
  failures: [404, 409],
});

/** 4.8 */
export const deleteWebhookSource = documentRoute({
  method: 'DELETE',
  path: '/webhook-sources/{id}',
  scope: 'write',
  group: 'webhooks',
  summary: 'Delete a source',
  document: /* GraphQL */ `
    mutation DeleteWebhookSource($input: DeleteWebhookSourceInput!) {
      deleteWebhookSource(input: $input) { webhookSource { id } }
    }`,
  variables: ({ path }) => ({ input: { id: path.id } }),
  success: { status: 204, at: ['deleteWebhookSource', 'webhookSource'] },
  failures: [404],
});
