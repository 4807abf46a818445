import {
  checkProvider,
  listProviderKeys,
  type ProviderCheck,
  removeProviderKey,
  type ShownProviderKey,
  setProviderKey,
} from '../../engine/inference/index.ts';
import { getProject } from '../../engine/projects/index.ts';
import { builder } from '../machinery/builder.ts';
import { KeySourceEnum } from '../machinery/enums.ts';
import { auditProject, operatorOnly, type ProjectPayload, ProjectType } from './projects.ts';

const ProviderKeyType = builder.objectRef<ShownProviderKey>('ProviderKey').implement({
  description: 'The key of a model provider that serves a project. The key itself is never shown.',
  fields: (t) => ({
    provider: t.exposeString('provider'),
    source: t.expose('source', { type: KeySourceEnum }),
    lastFour: t.exposeString('lastFour', {
      nullable: true,
      description:
        'The last four characters; null for a short key, and for a key that was sealed under an unknown operator key.',
    }),
    baseUrl: t.exposeString('baseUrl', { nullable: true, description: "Null for the provider's own address." }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a call last used it; of a key of the settings, a call of any project.',
    }),
    lastRefusedAt: t.expose('lastRefusedAt', { type: 'DateTime', nullable: true }),
    lastRefusal: t.exposeString('lastRefusal', {
      nullable: true,
      description: "The provider's last refusal of the key: of the key itself, or for a quota or a spend limit.",
    }),
  }),
});

builder.objectField(ProjectType, 'providerKeys', (t) =>
  t.field({
    type: [ProviderKeyType],
    authScopes: { operator: true },
    description: 'Operator only. By provider, those of the settings last; at most 1000 of the project.',
    resolve: ({ id }, _args, { engine }) => listProviderKeys(engine, id),
  }),
);

const SetProviderKeyInput = builder.inputType('SetProviderKeyInput', {
  fields: (t) => ({
    projectId: t.id({ required: true }),
    provider: t.string({ required: true, description: '`anthropic`, `openai`, or any other name.' }),
    apiKey: t.string({ required: true }),
    baseUrl: t.string({
      description:
        'The URL of an OpenAI-compatible provider, or of a gateway. Required unless the provider is `anthropic` or `openai`.',
    }),
  }),
});

const RemoveProviderKeyInput = builder.inputType('RemoveProviderKeyInput', {
  fields: (t) => ({ projectId: t.id({ required: true }), provider: t.string({ required: true }) }),
});

const keyPayload = (name: string) =>
  builder.objectRef<ProjectPayload & { provider: string }>(name).implement({
    fields: (t) => ({
      project: t.expose('project', { type: ProjectType }),
      provider: t.exposeString('provider'),
    }),
  });

builder.mutationFields((t) => ({
  setProviderKey: t.field({
    ...operatorOnly,
    type: keyPayload('SetProviderKeyPayload'),
    description: 'Operator only. The key is sealed, and never shown again. Waiting calls use it within seconds.',
    args: { input: t.arg({ type: SetProviderKeyInput, required: true }) },
    resolve: async (_root, { input: { projectId, provider, apiKey, baseUrl } }, context) => {
      const { engine } = context;
      await setProviderKey(engine, { projectId, provider, apiKey, baseUrl: baseUrl ?? undefined });
      await auditProject(context, projectId, { action: 'set_provider_key', detail: { provider } });
      return { provider, project: await getProject(engine, projectId) };
    },
  }),
  removeProviderKey: t.field({
    ...operatorOnly,
    type: keyPayload('RemoveProviderKeyPayload'),
    description: 'Operator only. Calls then use the key of the settings, if there is one.',
    args: { input: t.arg({ type: RemoveProviderKeyInput, required: true }) },
    resolve: async (_root, { input: { projectId, provider } }, context) => {
      const { engine } = context;
      await removeProviderKey(engine, { projectId, provider });
      await auditProject(context, projectId, { action: 'remove_provider_key', detail: { provider } });
      return { provider, project: await getProject(engine, projectId) };
    },
  }),
}));

const CheckProviderInput = builder.inputType('CheckProviderInput', {
  fields: (t) => ({
    provider: t.string({ required: true, description: '`anthropic`, `openai`, or the name of another one.' }),
  }),
});

const CheckProviderPayload = builder.objectRef<ProviderCheck>('CheckProviderPayload').implement({
  fields: (t) => ({
    provider: t.exposeString('provider'),
    ok: t.exposeBoolean('ok', { description: 'Whether the provider listed its models for the key of the project.' }),
    latencyMs: t.exposeInt('latencyMs'),
    error: t.exposeString('error', { nullable: true, description: 'Why it did not.' }),
  }),
});

builder.mutationField('checkProvider', (t) =>
  t.field({
    type: CheckProviderPayload,
    description: "Lists the provider's models once. `NOT_CONFIGURED` without a key.",
    args: { input: t.arg({ type: CheckProviderInput, required: true }) },
    resolve: (_root, { input: { provider } }, context) => {
      const { engine, projectId } = context;
      return context.whileIdle(() => checkProvider(engine, { projectId, provider }));
    },
  }),
);
