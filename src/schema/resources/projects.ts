import { type ControlAction, recordControl } from '../../engine/audit/index.ts';
import {
  type ApiKey,
  createApiKey,
  getApiKey,
  type IssuedKey,
  listApiKeys,
  type Principal,
  revokeApiKey,
} from '../../engine/keys/index.ts';
import { createProject, getProject, listProjects, type Project, updateProject } from '../../engine/projects/index.ts';
import { rotateProjectSecrets } from '../../engine/secrets/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { ApiKeyKindEnum, ViewerKindEnum } from '../machinery/enums.ts';

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    projectId: t.exposeID('projectId', {
      nullable: true,
      description: 'The project of the key; null for a platform key of all projects.',
    }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: ApiKeyKindEnum }),
    hint: t.exposeString('hint', {
      description: 'The prefix and the last four characters, by which people recognize the key.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

export const operatorOnly = { skipTypeScopes: true, authScopes: { operator: true } } as const;

export const ProjectType = builder.objectRef<Project>('Project').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    concurrencyCeiling: t.exposeInt('concurrencyCeiling', {
      description: 'Maximum number of runs that execute at once; 0 means no limit.',
    }),
    suspended: t.exposeBoolean('suspended'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    apiKeys: t.field({
      type: [ApiKeyType],
      authScopes: { operator: true },
      description: 'Operator only. Newest first, including revoked keys; at most 1000.',
      args: { after: t.arg.id({ description: 'The id of the last key of the previous page.' }), limit: t.arg.int() },
      resolve: ({ id }, { after, limit }, { engine }) =>
        listApiKeys(engine, { projectId: id, after: after ?? undefined, limit: limit ?? undefined }),
    }),
  }),
});

const ViewerType = builder.objectRef<Principal>('Viewer').implement({
  description: 'The caller.',
  fields: (t) => ({
    name: t.string({ description: 'The name of the key.', resolve: (principal) => principal.keyName }),
    kind: t.field({ type: ViewerKindEnum, resolve: (principal) => principal.kind }),
    key: t.field({
      type: ApiKeyType,
      nullable: true,
      description: 'The key of the call, without its secret. Null for the operator.',
      resolve: async (principal, _args, { engine }) =>
        principal.kind === 'operator' ? null : ((await getApiKey(engine, principal.keyId)) ?? null),
    }),
    actor: t.string({
      nullable: true,
      description: 'The person for whom a platform key acts.',
      resolve: (principal) => (principal.kind === 'platform' ? principal.actor : null),
    }),
    project: t.field({
      type: ProjectType,
      nullable: true,
      description: 'Null for an operator that names no project.',
      resolve: ({ projectId }, _args, { engine }) => (projectId === undefined ? null : getProject(engine, projectId)),
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({ type: ViewerType, skipTypeScopes: true, resolve: (_root, _args, { principal }) => principal }),
  project: t.field({
    ...operatorOnly,
    type: ProjectType,
    nullable: true,
    description: 'Operator only. One project. An unknown one is an error.',
    args: { id: t.arg.id({ required: true, description: 'Its id, or its name.' }) },
    resolve: (_root, { id }, { engine }) => getProject(engine, id),
  }),
  apiKeys: t.field({
    ...operatorOnly,
    type: [ApiKeyType],
    description:
      'Operator only. The keys of all projects, and platform keys, which no project lists. Newest first, including revoked keys; at most 1000.',
    args: { after: t.arg.id({ description: 'The id of the last key of the previous page.' }), limit: t.arg.int() },
    resolve: (_root, { after, limit }, { engine }) =>
      listApiKeys(engine, { after: after ?? undefined, limit: limit ?? undefined }),
  }),
  projects: t.field({
    ...operatorOnly,
    type: [ProjectType],
    description: 'Operator only. Oldest first: 100 by default, at most 1000.',
    args: { after: t.arg.id({ description: 'The id of the last project of the previous page.' }), limit: t.arg.int() },
    resolve: (_root, { after, limit }, { engine }) =>
      listProjects(engine, { after: after ?? undefined, limit: limit ?? undefined }),
  }),
}));

export interface ProjectPayload {
  project: Project;
}

const projectPayload = (name: string) =>
  builder
    .objectRef<ProjectPayload>(name)
    .implement({ fields: (t) => ({ project: t.expose('project', { type: ProjectType }) }) });

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    concurrencyCeiling: t.int({
      description: 'Maximum number of runs that execute at once; 0, the default, means no limit.',
    }),
  }),
});

const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description: 'Absent fields stay unchanged.',
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

/** Records what an operator did to a project. An entry holds no secret, and no address. */
export const auditProject = (
  { engine, principal }: SchemaContext,
  projectId: string,
  entry: { action: ControlAction; detail?: Record<string, unknown> },
): Promise<unknown> => recordControl(engine, { projectId, actor: principal.keyName, ...entry });

builder.mutationFields((t) => ({
  createProject: t.field({
    ...operatorOnly,
    type: projectPayload('CreateProjectPayload'),
    description: 'Operator only. Creates a project, which has no keys yet.',
    args: { input: t.arg({ type: CreateProjectInput, required: true }) },
    resolve: async (_root, { input: { name, concurrencyCeiling } }, context) => {
      const given = { name, concurrencyCeiling: concurrencyCeiling ?? undefined };
      const project = await createProject(context.engine, given);
      await auditProject(context, project.id, { action: 'create_project', detail: given });
      return { project };
    },
  }),
  updateProject: t.field({
    ...operatorOnly,
    type: projectPayload('UpdateProjectPayload'),
    description: 'Operator only. Renames, limits, suspends or restores a project.',
    args: { input: t.arg({ type: UpdateProjectInput, required: true }) },
    resolve: async (_root, { input: { id, name, concurrencyCeiling, suspended } }, context) => {
      const given = {
        name: name ?? undefined,
        concurrencyCeiling: concurrencyCeiling ?? undefined,
        suspended: suspended ?? undefined,
      };
      const project = await updateProject(context.engine, { id, ...given });
      await auditProject(context, project.id, { action: 'update_project', detail: given });
      return { project };
    },
  }),
  rotateProjectSecrets: t.field({
    ...operatorOnly,
    type: projectPayload('RotateProjectSecretsPayload'),
    description: 'Operator only. Gives every app of the project a new secret that signs its invokes.',
    args: { input: t.arg({ type: RotateProjectSecretsInput, required: true }) },
    resolve: async (_root, { input: { projectId } }, context) => {
      const project = await rotateProjectSecrets(context.engine, { projectId });
      await auditProject(context, project.id, { action: 'rotate_project_secrets' });
      return { project };
    },
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
    token: t.exposeString('token', { description: 'The key itself. It is shown only once.' }),
  }),
});

const RevokeApiKeyInput = builder.inputType('RevokeApiKeyInput', {
  fields: (t) => ({ id: t.id({ required: true }) }),
});

/** A platform key belongs to no project, so no audit log has it. */
async function auditKey(
  context: SchemaContext,
  action: ControlAction,
  { id: keyId, projectId, name, kind, expiresAt }: ApiKey,
): Promise<void> {
  if (projectId === null) return;
  const detail = { keyId, name, kind, ...(expiresAt && { expiresAt }) };
  await auditProject(context, projectId, { action, detail });
}

const RevokeApiKeyPayload = builder.objectRef<{ apiKey: ApiKey }>('RevokeApiKeyPayload').implement({
  fields: (t) => ({ apiKey: t.expose('apiKey', { type: ApiKeyType }) }),
});

builder.mutationFields((t) => ({
  createApiKey: t.field({
    ...operatorOnly,
    type: CreateApiKeyPayload,
    description: 'Operator only. Issues a key, and shows it once.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true }) },
    resolve: async (_root, { input: { projectId, name, kind, expiresAt } }, context) => {
      const given = { projectId: projectId ?? undefined, name, kind, expiresAt: expiresAt ?? undefined };
      const issued = await createApiKey(context.engine, given);
      await auditKey(context, 'create_api_key', issued.apiKey);
      return issued;
    },
  }),
  revokeApiKey: t.field({
    ...operatorOnly,
    type: RevokeApiKeyPayload,
    description: 'Operator only. Cannot be undone. Open sockets and streams of the key close within five seconds.',
    args: { input: t.arg({ type: RevokeApiKeyInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const apiKey = await revokeApiKey(context.engine, input);
      await auditKey(context, 'revoke_api_key', apiKey);
      return { apiKey };
    },
  }),
}));
