import {
  type CreatedEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  listEndpoints,
  updateEndpoint,
  type WrittenEndpoint,
} from '../../engine/webhooks/config/index.ts';
import { builder } from '../machinery/builder.ts';
import { WebhookEndpointSchemeEnum, WebhookEventKindEnum } from '../machinery/enums.ts';
import { readConnection } from '../machinery/fittingPage.ts';
import { NodeInterface, WebhookEndpointType } from './refs.ts';

/** 2.11 */
WebhookEndpointType.implement({
  description: 'An address that is told of ended runs and steps. No read shows its signing secret.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { nullable: true }),
    app: t.exposeString('app', { nullable: true, description: 'Only changes of this app; null for all apps.' }),
    url: t.string({
      description: 'Public keys see no query.',
      resolve: ({ url }, _args, context) => context.shownUrl(url),
    }),
    eventKinds: t.field({ type: [WebhookEventKindEnum], resolve: ({ eventKinds }) => [...eventKinds] }),
    scheme: t.expose('scheme', { type: WebhookEndpointSchemeEnum }),
    enabled: t.exposeBoolean('enabled'),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the service disabled it, because it had failed for days.',
    }),
    previousSecretUntil: t.expose('previousSecretUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The end of the time during which the secret before the last rotation is valid, too.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const WebhookEndpointConnection = builder.connectionObject(
  { type: WebhookEndpointType, name: 'WebhookEndpointConnection' },
  { name: 'WebhookEndpointEdge' },
);

builder.queryFields((t) => ({
  webhookEndpoint: t.field({
    type: WebhookEndpointType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, { engine, projectId }) => (await findEndpoint(engine, { projectId, id })) ?? null,
  }),
  webhookEndpoints: t.field({
    type: WebhookEndpointConnection,
    description: 'Endpoints, newest first: 100 by default, at most 1000.',
    args: { first: t.arg.int(), after: t.arg.string() },
    resolve: (_root, args, { engine, projectId }) =>
      readConnection(args, (part) => listEndpoints(engine, { projectId, ...part })),
  }),
}));

const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  fields: (t) => ({
    name: t.string({ description: 'A label, unique in the project.' }),
    app: t.string({ description: 'Only changes of this app; all apps unless given.' }),
    url: t.string({ required: true, description: 'An http or https URL, unique among the endpoints of an app.' }),
    eventKinds: t.field({ type: [WebhookEventKindEnum], required: true }),
    enabled: t.boolean({ description: 'Default: true.' }),
    scheme: t.field({ type: WebhookEndpointSchemeEnum, description: 'Default: `SERVICE`.' }),
    secret: t.string({ description: 'A known signing secret; generated unless given.' }),
  }),
});

const CreateWebhookEndpointPayload = builder.objectRef<CreatedEndpoint>('CreateWebhookEndpointPayload').implement({
  fields: (t) => ({
    webhookEndpoint: t.expose('endpoint', { type: WebhookEndpointType }),
    secret: t.exposeString('secret', { description: 'The signing secret. It is shown only once.' }),
  }),
});

builder.mutationField('createWebhookEndpoint', (t) =>
  t.field({
    type: CreateWebhookEndpointPayload,
    description: 'Creates an endpoint. Runs and steps that end from now on are told to it.',
    args: { input: t.arg({ type: CreateWebhookEndpointInput, required: true }) },
    resolve: (_root, { input }, { engine, projectId, principal }) =>
      createEndpoint(engine, { ...input, projectId, actor: principal.keyName }),
  }),
);

const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'Absent fields stay unchanged. Null clears `name` and `app`.',
  fields: (t) => ({
    id: t.id({ required: true }),
    name: t.string(),
    app: t.string(),
    url: t.string(),
    eventKinds: t.field({ type: [WebhookEventKindEnum] }),
    enabled: t.boolean({ description: '`true` also takes up an endpoint that the service disabled.' }),
    scheme: t.field({ type: WebhookEndpointSchemeEnum }),
    secret: t.string({ description: 'Rotates to this known secret.' }),
    rotateSecret: t.boolean({
      description: 'Rotates to a generated secret. The old one stays valid for 24 hours.',
    }),
    force: t.boolean({ description: 'Rotates although the last rotation was less than 24 hours ago.' }),
    revokePrevious: t.boolean({ description: 'Ends the validity of the old secret at once.' }),
  }),
});

const UpdateWebhookEndpointPayload = builder.objectRef<WrittenEndpoint>('UpdateWebhookEndpointPayload').implement({
  fields: (t) => ({
    webhookEndpoint: t.expose('endpoint', { type: WebhookEndpointType }),
    secret: t.exposeString('secret', {
      nullable: true,
      description: 'The new signing secret after a rotation. It is shown only once.',
    }),
  }),
});

builder.mutationField('updateWebhookEndpoint', (t) =>
  t.field({
    type: UpdateWebhookEndpointPayload,
    description: 'Changes an endpoint, and rotates its secret. `CONFLICT` while a rotation is in progress.',
    args: { input: t.arg({ type: UpdateWebhookEndpointInput, required: true }) },
    resolve: (_root, { input }, { engine, projectId, principal }) =>
      updateEndpoint(engine, { ...input, projectId, actor: principal.keyName }),
  }),
);

const DeleteWebhookEndpointInput = builder.inputType('DeleteWebhookEndpointInput', {
  fields: (t) => ({ id: t.id({ required: true }) }),
});

const DeleteWebhookEndpointPayload = builder
  .objectRef<{ endpoint: EndpointRow }>('DeleteWebhookEndpointPayload')
  .implement({
    fields: (t) => ({
      webhookEndpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint as it was.' }),
    }),
  });

builder.mutationField('deleteWebhookEndpoint', (t) =>
  t.field({
    type: DeleteWebhookEndpointPayload,
    description: 'Deletes an endpoint. Its deliveries stay, and unfinished ones are not sent any more.',
    args: { input: t.arg({ type: DeleteWebhookEndpointInput, required: true }) },
    resolve: async (_root, { input: { id } }, { engine, projectId, principal }) => ({
      endpoint: await deleteEndpoint(engine, { id, projectId, actor: principal.keyName }),
    }),
  }),
);
