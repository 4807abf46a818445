import {
  type CreatedSource,
  createSource,
  deleteSource,
  findSource,
  listSources,
  receiveUrlOf,
  type ShownSource,
  tokenOf,
  updateSource,
  type WrittenSource,
} from '../../engine/webhooks/config/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { WebhookHandshakeEnum, WebhookSourceSchemeEnum } from '../machinery/enums.ts';
import { readConnection } from '../machinery/fittingPage.ts';
import { NodeInterface, WebhookSourceType } from './refs.ts';

/** The token opens the address for anyone, so public keys do not see it. */
const shownToken = ({ engine, principal, via }: SchemaContext, source: ShownSource): string | null =>
  principal.kind === 'public' || via === 'mcp' ? null : (tokenOf(engine, source) ?? null);

/** 2.11 */
WebhookSourceType.implement({
  description: 'A sender whose signed messages become events. No read shows its signing secret.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { nullable: true }),
    app: t.exposeString('app', { nullable: true, description: 'The app of its events.' }),
    eventName: t.exposeString('eventName', { description: 'The name of the event that a verified message becomes.' }),
    targetApp: t.exposeString('targetApp', {
      nullable: true,
      description: 'Its events start workflows of this app only.',
    }),
    dedupeKey: t.exposeString('dedupeKey', {
      nullable: true,
      description: 'A dotted path into the body. A repeat of the value there within 24 hours makes no event.',
    }),
    scheme: t.expose('scheme', { type: WebhookSourceSchemeEnum }),
    handshake: t.expose('handshake', { type: WebhookHandshakeEnum, nullable: true }),
    exposeHeaders: t.field({
      type: ['String'],
      description: 'Headers that come along as `event.headers`, in lower case.',
      resolve: ({ exposeHeaders }) => [...exposeHeaders],
    }),
    enabled: t.exposeBoolean('enabled'),
    token: t.string({
      nullable: true,
      description: 'The last part of the address. Public keys and agents do not see it.',
      resolve: (source, _args, context) => shownToken(context, source),
    }),
    receiveUrl: t.string({
      nullable: true,
      description: 'The address to which the sender posts. Public keys and agents do not see it.',
      resolve: (source, _args, context) => {
        const token = shownToken(context, source);
        return token === null ? null : (receiveUrlOf(context.engine, token) ?? null);
      },
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

const WebhookSourceConnection = builder.connectionObject(
  { type: WebhookSourceType, name: 'WebhookSourceConnection' },
  { name: 'WebhookSourceEdge' },
);

builder.queryFields((t) => ({
  webhookSource: t.field({
    type: WebhookSourceType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, { engine, projectId }) => (await findSource(engine, { projectId, id })) ?? null,
  }),
  webhookSources: t.field({
    type: WebhookSourceConnection,
    description: 'Sources, newest first: 100 by default, at most 1000.',
    args: { first: t.arg.int(), after: t.arg.string() },
    resolve: (_root, args, { engine, projectId }) =>
      readConnection(args, (part) => listSources(engine, { projectId, ...part })),
  }),
}));

const CreateWebhookSourceInput = builder.inputType('CreateWebhookSourceInput', {
  fields: (t) => ({
    name: t.string({ description: 'A label, unique in the project.' }),
    app: t.string({ description: 'The app of its events.' }),
    eventName: t.string({ required: true, description: 'The name of the event that a verified message becomes.' }),
    targetApp: t.string({ description: 'Its events start workflows of this app only.' }),
    dedupeKey: t.string({ description: 'A dotted path into the body, such as `data.id`.' }),
    scheme: t.field({ type: WebhookSourceSchemeEnum, description: 'Default: `SERVICE`.' }),
    handshake: t.field({ type: WebhookHandshakeEnum }),
    exposeHeaders: t.stringList({
      description: 'At most 20 names of headers that come along as `event.headers`. No signature, no authorization.',
    }),
    enabled: t.boolean({ description: 'Default: true.' }),
    token: t.string({ description: 'A known token of 16 to 128 URL-safe characters; generated unless given.' }),
    secret: t.string({ description: 'A known signing secret; generated unless given.' }),
  }),
});

const CreateWebhookSourcePayload = builder.objectRef<CreatedSource>('CreateWebhookSourcePayload').implement({
  fields: (t) => ({
    webhookSource: t.expose('source', { type: WebhookSourceType }),
    secret: t.exposeString('secret', { description: 'The signing secret. It is shown only once.' }),
  }),
});

builder.mutationField('createWebhookSource', (t) =>
  t.field({
    type: CreateWebhookSourcePayload,
    description: 'Creates a source. Its address takes messages from now on.',
    args: { input: t.arg({ type: CreateWebhookSourceInput, required: true }) },
    resolve: (_root, { input }, { engine, projectId, principal }) =>
      createSource(engine, { ...input, projectId, actor: principal.keyName }),
  }),
);

const UpdateWebhookSourceInput = builder.inputType('UpdateWebhookSourceInput', {
  description: 'Absent fields stay unchanged. Null clears an optional field.',
  fields: (t) => ({
    id: t.id({ required: true }),
    name: t.string(),
    app: t.string(),
    eventName: t.string(),
    targetApp: t.string(),
    dedupeKey: t.string(),
    scheme: t.field({ type: WebhookSourceSchemeEnum }),
    handshake: t.field({ type: WebhookHandshakeEnum }),
    exposeHeaders: t.stringList(),
    enabled: t.boolean({ description: '`false` makes its address unknown.' }),
    secret: t.string({ description: 'Rotates to this known secret.' }),
    rotateSecret: t.boolean({
      description: 'Rotates to a generated secret. The old one stays valid for 24 hours.',
    }),
    force: t.boolean({ description: 'Rotates although the last rotation was less than 24 hours ago.' }),
    revokePrevious: t.boolean({ description: 'Ends the validity of the old secret at once.' }),
  }),
});

const UpdateWebhookSourcePayload = builder.objectRef<WrittenSource>('UpdateWebhookSourcePayload').implement({
  fields: (t) => ({
    webhookSource: t.expose('source', { type: WebhookSourceType }),
    secret: t.exposeString('secret', {
      nullable: true,
      description: 'The new signing secret after a rotation. It is shown only once.',
    }),
  }),
});

builder.mutationField('updateWebhookSource', (t) =>
  t.field({
    type: UpdateWebhookSourcePayload,
    description: 'Changes a source, and rotates its secret. `CONFLICT` while a rotation is in progress.',
    args: { input: t.arg({ type: UpdateWebhookSourceInput, required: true }) },
    resolve: (_root, { input }, { engine, projectId, principal }) =>
      updateSource(engine, { ...input, projectId, actor: principal.keyName }),
  }),
);

const DeleteWebhookSourceInput = builder.inputType('DeleteWebhookSourceInput', {
  fields: (t) => ({ id: t.id({ required: true }) }),
});

const DeleteWebhookSourcePayload = builder.objectRef<{ source: ShownSource }>('DeleteWebhookSourcePayload').implement({
  fields: (t) => ({
    webhookSource: t.expose('source', { type: WebhookSourceType, description: 'The source as it was.' }),
  }),
});

builder.mutationField('deleteWebhookSource', (t) =>
  t.field({
    type: DeleteWebhookSourcePayload,
    description: 'Deletes a source. Its address is unknown from now on, and its recorded messages stay.',
    args: { input: t.arg({ type: DeleteWebhookSourceInput, required: true }) },
    resolve: async (_root, { input: { id } }, { engine, projectId, principal }) => ({
      source: await deleteSource(engine, { id, projectId, actor: principal.keyName }),
    }),
  }),
);
