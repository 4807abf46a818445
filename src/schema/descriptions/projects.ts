import type { Texts, TypeTexts } from './texts.ts';

const keyKinds: TypeTexts = {
  PLATFORM: 'A secret key that acts for the project and the person in its headers.',
  PUBLIC: 'Reads its project, and writes nothing.',
  SECRET: 'Reads and writes its project.',
};

const projectId = 'An id from `projects`. An unknown one answers `NOT_FOUND`.';

/** Projects, keys, providers and model calls. */
export const projectTexts: Texts = {
  Project: {
    _: 'A tenant. Everything that a key reaches is in its own project.',
    'apiKeys(limit)': 'Length of the list: 100 by default, at most 1000.',
    createdAt: 'When the operator created it.',
    id: 'The value for the header `X-Service-Project`.',
    name: 'A label for people, unique among the projects.',
    suspended: 'A suspended project starts no runs. Its present runs go on.',
  },
  ApiKey: {
    _: 'A key of the API. The key itself is shown only at its creation.',
    createdAt: 'When the operator issued it.',
    expiresAt: 'When it stops working by itself. Null if it never does.',
    id: 'The value for `revokeApiKey`; it is no secret.',
    kind: 'The rights of the key.',
    lastUsedAt: 'When a call last used it, about to the minute. Null if none did.',
    name: 'A label, which the audit log records as the actor.',
    revokedAt: 'When the operator revoked it. Null if it is not revoked.',
  },
  ApiKeyKind: { _: 'The rights of a key.', ...keyKinds },
  Viewer: { kind: 'The rights of the caller.' },
  ViewerKind: {
    _: 'The rights of a caller.',
    ...keyKinds,
    OPERATOR: 'Manages projects and keys, and acts in the project that its header names.',
  },
  CreateApiKeyInput: {
    _: 'A key to issue.',
    expiresAt: 'An instant in the future. Absent: the key does not expire.',
    kind: 'The rights of the key. They cannot be changed.',
    name: 'A label, which the audit log records as the actor.',
  },
  CreateApiKeyPayload: {
    _: 'The issued key.',
    apiKey: 'All that later reads show of it.',
  },
  RevokeApiKeyInput: { _: 'The key to revoke.', id: 'The id of the key, not the key itself.' },
  RevokeApiKeyPayload: { _: 'The revoked key.', apiKey: 'Its `revokedAt` is set.' },
  CreateProjectInput: { _: 'A project to create.', name: 'A label for people, unique among the projects.' },
  CreateProjectPayload: { _: 'The created project.', project: 'It has no key yet: see `createApiKey`.' },
  UpdateProjectInput: {
    concurrencyCeiling: 'Maximum number of runs that execute at once; 0 means no limit.',
    id: projectId,
    name: 'A new label, unique among the projects.',
  },
  UpdateProjectPayload: { _: 'The changed project.', project: 'The project after the change.' },
  RotateProjectSecretsInput: { _: 'The project whose apps get new secrets.', projectId },
  RotateProjectSecretsPayload: {
    _: 'The project after the rotation.',
    project: 'Its runners need the new secrets to verify invokes.',
  },
  ProviderKey: {
    lastRefusedAt: 'When the provider last refused it. Null if it never did.',
    provider: '`anthropic`, `openai`, or another name.',
    source: 'A key of the project comes before one of the settings.',
  },
  ProviderKeySource: {
    PROJECT: 'The operator set it for the project. No other project uses it.',
    SETTINGS: 'The environment of the process. All projects without a key of their own share it.',
  },
  SetProviderKeyInput: {
    _: 'A key of a model provider for one project.',
    apiKey: 'The key as the provider issued it.',
    projectId,
  },
  SetProviderKeyPayload: {
    _: 'The project with its providers.',
    project: 'Its `providerKeys` include the key, without its text.',
    provider: 'The provider that was named.',
  },
  RemoveProviderKeyInput: {
    _: 'The key of a provider to remove from one project.',
    projectId,
    provider: 'The name under which the key was set.',
  },
  RemoveProviderKeyPayload: {
    _: 'The project with its remaining providers.',
    project: 'Its `providerKeys` may still have one of the settings.',
    provider: 'The provider that was named.',
  },
  CheckProviderInput: { _: 'The provider to try.' },
  CheckProviderPayload: {
    _: 'The answer of a provider. A refusal is an answer, too.',
    latencyMs: 'Milliseconds until the answer: at most 10000.',
    provider: 'The provider that was tried.',
  },
  InferenceLaneState: {
    keyFrom: 'The key under which the calls are made.',
    model: 'The model as the calls name it.',
    provider: 'The provider as the calls name it, or the default one.',
  },
  AiSpend: { totals: 'All selected calls together.' },
  AiSpendFigures: {
    cacheHits: 'Calls that a cache answered.',
    tokensIn: 'Tokens of prompts. A call that reported none counts 0.',
    tokensOut: 'Tokens of answers. A call that reported none counts 0.',
  },
  AiSpendTotals: { _: 'The spend of all selected calls.' },
  AiSpendByHour: { _: 'The spend in one span of time, by when calls were recorded.' },
  AiSpendByModel: { _: 'The spend on one model.' },
  AiSpendByWorkflow: {
    _: 'The spend of one workflow.',
    app: 'The app whose runs made the calls.',
    workflow: 'The workflow whose runs made the calls.',
  },
};
