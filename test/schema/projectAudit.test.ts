import { expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { operator, query, secretKey } from './fixtures.ts';

const test = useEngine();
const asOperator = (document: string, variables = {}) => query(test.engine, operator(), document, variables);

interface Entry {
  action: string;
  actor: string;
  detail: Record<string, unknown> | null;
}

async function entriesOf(projectId: string): Promise<Entry[]> {
  const document = '{ controlActions { nodes { action actor detail runId } } }';
  const { controlActions } = await query(test.engine, secretKey(projectId), document);
  return (controlActions as { nodes: Entry[] }).nodes;
}

it('changes of projects and keys are entries of the audit log of the project, without a secret', async () => {
  const { createProject } = (await asOperator(
    `mutation { createProject(input: { name: "audited ${newId()}" }) { project { id name } } }`,
  )) as { createProject: { project: { id: string; name: string } } };
  const { id, name } = createProject.project;
  await asOperator(
    `mutation ($id: ID!) { updateProject(input: { id: $id, concurrencyCeiling: 3 }) { project { id } } }`,
    {
      id,
    },
  );
  const { createApiKey } = (await asOperator(
    `mutation ($id: ID!) { createApiKey(input: { projectId: $id, name: "ci", kind: SECRET }) { token apiKey { id } } }`,
    { id },
  )) as { createApiKey: { token: string; apiKey: { id: string } } };
  const keyId = createApiKey.apiKey.id;
  await asOperator(`mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }`, { id: keyId });
  await asOperator(
    `mutation ($id: ID!) { setProviderKey(input: { projectId: $id, provider: "openai", apiKey: "sk-very-secret" }) { provider } }`,
    { id },
  );
  await asOperator(
    `mutation ($id: ID!) { removeProviderKey(input: { projectId: $id, provider: "openai" }) { provider } }`,
    { id },
  );
  await asOperator(`mutation ($id: ID!) { rotateProjectSecrets(input: { projectId: $id }) { project { id } } }`, {
    id,
  });
  const by = { actor: 'operator', runId: null };
  const entries = await entriesOf(id);
  expect(entries).toEqual([
    { ...by, action: 'ROTATE_PROJECT_SECRETS', detail: null },
    { ...by, action: 'REMOVE_PROVIDER_KEY', detail: { provider: 'openai' } },
    { ...by, action: 'SET_PROVIDER_KEY', detail: { provider: 'openai' } },
    { ...by, action: 'REVOKE_API_KEY', detail: { keyId, name: 'ci', kind: 'secret' } },
    { ...by, action: 'CREATE_API_KEY', detail: { keyId, name: 'ci', kind: 'secret' } },
    { ...by, action: 'UPDATE_PROJECT', detail: { concurrencyCeiling: 3 } },
    { ...by, action: 'CREATE_PROJECT', detail: { name } },
  ]);
  expect(JSON.stringify(entries)).not.toContain('sk-very');
  expect(JSON.stringify(entries)).not.toContain(createApiKey.token);
  expect(await entriesOf(await createTestProject(test.engine))).toEqual([]);
});

it('a refused change leaves no entry, nor does a platform key, which has no project', async () => {
  const projectId = await createTestProject(test.engine);
  const taken = `mutation ($id: ID!) { updateProject(input: { id: $id, name: "" }) { project { id } } }`;
  await expect(asOperator(taken, { id: projectId })).rejects.toMatchObject({ kind: 'invalid' });
  await asOperator('mutation { createApiKey(input: { name: "platform", kind: PLATFORM }) { apiKey { id } } }');
  expect(await entriesOf(projectId)).toEqual([]);
});
