import {
  type ApiKey,
  createApiKey,
  type IssuedKey,
  listApiKeys,
  type Principal,
  revokeApiKey,
} from '../../engine/keys/index.ts';
import { createProject, getProject, listProjects, type Project, updateProject } from '../../engine/projects/index.ts';
import { rotateProjectSecrets, setProviderKey } from '../../engine/secrets/index.ts';
import { builder } from '../machinery/builder.ts';
import { ApiKeyKindEnum, ViewerKindEnum } from '../machinery/enums.ts';

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    projectId: t.exposeID('projectId', {
      nullable: true,
      description: 'The only project that it acts for. Null on a platform key that may act for any.',
    }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: ApiKeyKindEnum }),
    hint: t.exposeString('hint', {
      description: 'The prefix and the last four characters, for people to tell keys apart.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const operatorOnly = { skipTypeScopes: true, authScopes: { operator: true } } as const;

const ProjectType = builder.objectRef<Project>('Project').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    concurrencyCeiling: t.exposeInt('concurrencyCeiling', {
      description: 'Runs that may execute at once; 0 is unlimited.',
    }),
    suspended: t.exposeBoolean('suspended'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    apiKeys: t.field({
      type: [ApiKeyType],
      authScopes: { operator: true },
      description: 'Operator only. Newest first, revoked keys included; at most 1000.',
      args: { after: t.arg.id({ description: 'Id of the last key of the page before.' }), limit: t.arg.int() },
      resolve: ({ id }, { after, limit }, { engine }) =>
        listApiKeys(engine, { projectId: id, after: after ?? undefined, limit: limit ?? undefined }),
    }),
  }),
});

const ViewerType = builder.objectRef<Principal>('Viewer').implement({
  description: 'Whose key this is.',
  fields: (t) => ({
    name: t.string({ description: "The key's name.", resolve: (principal) => principal.keyName }),
    kind: t.field({ type: ViewerKindEnum, resolve: (principal) => principal.kind }),
    actor: t.string({
      nullable: true,
      description: 'The person that a platform key acts for.',
      resolve: (principal) => (principal.kind === 'platform' ? principal.actor : null),
    }),
    project: t.field({
      type: ProjectType,
      nullable: true,
      description: 'Null for an operator who names none.',
      resolve: ({ projectId }, _args, { engine }) => (projectId === undefined ? null : getProject(engine, projectId)),
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({ type: ViewerType, skipTypeScopes: true, resolve: (_root, _args, { principal }) => principal }),
  projects: t.field({
    ...operatorOnly,
    type: [ProjectType],
    description: 'Operator only. Oldest first: 100 by default, at most 1000.',
    args: { after: t.arg.id({ description: 'Id of the last project of the page before.' }), limit: t.arg.int() },
    resolve: (_root, { after, limit }, { engine }) =>
      listProjects(engine, { after: after ?? undefined, limit: limit ?? undefined }),
  }),
}));

interface ProjectPayload {
  project: Project;
}

const projectPayload = (name: string) =>
  builder
    .objectRef<ProjectPayload>(name)
    .implement({ fields: (t) => ({ project: t.expose('project', { type: ProjectType }) }) });

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    concurrencyCeiling: t.int({ description: 'Runs that may execute at once; 0, the default, is unlimited.' }),
  }),
});

const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description: 'What is left out stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true }),
    name: t.string(),
    concurrencyCeiling: t.int(),
    suspended: t.boolean({ description: 'A suspended project starts no runs.' }),
  }),
});

const RotateProjectSecretsInput = builder.inputType('RotateProjectSecretsInput', {
  fields: (t) => ({ projectId: t.id({ required: true }) }),
});

builder.mutationFields((t) => ({
  createProject: t.field({
    ...operatorOnly,
    type: projectPayload('CreateProjectPayload'),
    description: 'Operator only.',
    args: { input: t.arg({ type: CreateProjectInput, required: true }) },
    resolve: async (_root, { input: { name, concurrencyCeiling } }, { engine }) => ({
      project: await createProject(engine, { name, concurrencyCeiling: concurrencyCeiling ?? undefined }),
    }),
  }),
  updateProject: t.field({
    ...operatorOnly,
    type: projectPayload('UpdateProjectPayload'),
    description: 'Operator only.',
    args: { input: t.arg({ type: UpdateProjectInput, required: true }) },
    resolve: async (_root, { input: { id, name, concurrencyCeiling, suspended } }, { engine }) => ({
      project: await updateProject(engine, {
        id,
        name: name ?? undefined,
        concurrencyCeiling: concurrencyCeiling ?? undefined,
        suspended: suspended ?? undefined,
      }),
    }),
  }),
  rotateProjectSecrets: t.field({
    ...operatorOnly,
    type: projectPayload('RotateProjectSecretsPayload'),
    description: 'Operator only. Gives every app of the project a new secret to sign invokes with.',
    args: { input: t.arg({ type: RotateProjectSecretsInput, required: true }) },
    resolve: async (_root, { input: { projectId } }, { engine }) => ({
      project: await rotateProjectSecrets(engine, { projectId }),
    }),
  }),
}));

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  fields: (t) => ({
    projectId: t.id({ description: 'Required unless the kind is `PLATFORM`.' }),
    name: t.string({ required: true }),
    kind: t.field({ type: ApiKeyKindEnum, required: true }),
    expiresAt: t.field({ type: 'DateTime' }),
  }),
});

const CreateApiKeyPayload = builder.objectRef<IssuedKey>('CreateApiKeyPayload').implement({
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType }),
    token: t.exposeString('token', { description: 'The key itself, shown this once.' }),
  }),
});

const RevokeApiKeyInput = builder.inputType('RevokeApiKeyInput', {
  fields: (t) => ({ id: t.id({ required: true }) }),
});

const RevokeApiKeyPayload = builder.objectRef<{ apiKey: ApiKey }>('RevokeApiKeyPayload').implement({
  fields: (t) => ({ apiKey: t.expose('apiKey', { type: ApiKeyType }) }),
});

builder.mutationFields((t) => ({
  createApiKey: t.field({
    ...operatorOnly,
    type: CreateApiKeyPayload,
    description: 'Operator only.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true }) },
    resolve: (_root, { input: { projectId, name, kind, expiresAt } }, { engine }) =>
      createApiKey(engine, { projectId: projectId ?? undefined, name, kind, expiresAt: expiresAt ?? undefined }),
  }),
  revokeApiKey: t.field({
    ...operatorOnly,
    type: RevokeApiKeyPayload,
    description: 'Operator only. For good: what is open with this key ends within five seconds.',
    args: { input: t.arg({ type: RevokeApiKeyInput, required: true }) },
    resolve: async (_root, { input }, { engine }) => ({ apiKey: await revokeApiKey(engine, input) }),
  }),
}));

const SetProviderKeyInput = builder.inputType('SetProviderKeyInput', {
  fields: (t) => ({
    projectId: t.id({ required: true }),
    provider: t.string({ required: true, description: '`anthropic`, `openai`, or a name of your own.' }),
    apiKey: t.string({ required: true }),
    baseUrl: t.string({ description: 'Where an OpenAI-compatible provider answers.' }),
  }),
});

const SetProviderKeyPayload = builder
  .objectRef<ProjectPayload & { provider: string }>('SetProviderKeyPayload')
  .implement({
    fields: (t) => ({
      project: t.expose('project', { type: ProjectType }),
      provider: t.exposeString('provider'),
    }),
  });

builder.mutationField('setProviderKey', (t) =>
  t.field({
    ...operatorOnly,
    type: SetProviderKeyPayload,
    description: 'Operator only. The key is sealed, and never read out again.',
    args: { input: t.arg({ type: SetProviderKeyInput, required: true }) },
    resolve: async (_root, { input: { projectId, provider, apiKey, baseUrl } }, { engine }) => {
      await setProviderKey(engine, { projectId, provider, apiKey, baseUrl: baseUrl ?? undefined });
      return { provider, project: await getProject(engine, projectId) };
    },
  }),
);
