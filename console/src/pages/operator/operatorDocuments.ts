import { graphql } from '../../data/graphql.ts';

export const projectsDocument = graphql(`
  query Projects($after: ID) {
    projects(limit: 100, after: $after) {
      id
      name
      suspended
      concurrencyCeiling
      createdAt
    }
  }
`);

export const allKeysDocument = graphql(`
  query AllKeys {
    apiKeys(limit: 1000) {
      id
      name
      kind
      hint
      projectId
      createdAt
      lastUsedAt
      expiresAt
      revokedAt
    }
  }
`);

export const projectDocument = graphql(`
  query OperatedProject($id: ID!) {
    project(id: $id) {
      id
      name
      suspended
      concurrencyCeiling
      createdAt
    }
  }
`);

export const projectKeysDocument = graphql(`
  query ProjectKeys($id: ID!) {
    project(id: $id) {
      id
      apiKeys(limit: 1000) {
        ...KeyRow
      }
    }
  }
  fragment KeyRow on ApiKey {
    id
    name
    kind
    hint
    projectId
    createdAt
    lastUsedAt
    expiresAt
    revokedAt
  }
`);

export const providersDocument = graphql(`
  query ProjectProviders($id: ID!) {
    project(id: $id) {
      id
      providerKeys {
        provider
        baseUrl
        lastFour
        lastUsedAt
        lastRefusal
        lastRefusedAt
        source
      }
    }
  }
`);

export const createProjectDocument = graphql(`
  mutation CreateProject($input: CreateProjectInput!) {
    createProject(input: $input) {
      project {
        id
        name
      }
    }
  }
`);

export const updateProjectDocument = graphql(`
  mutation UpdateProject($input: UpdateProjectInput!) {
    updateProject(input: $input) {
      project {
        id
        name
        suspended
      }
    }
  }
`);

export const createKeyDocument = graphql(`
  mutation CreateKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      token
      apiKey {
        id
        name
      }
    }
  }
`);

export const revokeKeyDocument = graphql(`
  mutation RevokeKey($id: ID!) {
    revokeApiKey(input: { id: $id }) {
      apiKey {
        id
        name
      }
    }
  }
`);

export const setProviderDocument = graphql(`
  mutation SetProvider($input: SetProviderKeyInput!) {
    setProviderKey(input: $input) {
      provider
    }
  }
`);

export const removeProviderDocument = graphql(`
  mutation RemoveProvider($input: RemoveProviderKeyInput!) {
    removeProviderKey(input: $input) {
      project {
        id
      }
    }
  }
`);

export const rotateSecretsDocument = graphql(`
  mutation RotateSecrets($id: ID!) {
    rotateProjectSecrets(input: { projectId: $id }) {
      project {
        id
      }
    }
  }
`);
