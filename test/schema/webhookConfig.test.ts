import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { HoldfastError } from '../../src/engine/errors.ts';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { operator, publicKey, query, type Recording, recordStatements, secretKey } from './fixtures.ts';

const scene = useEngine({ settings: { baseUrl: 'https://hooks.example.com' } });
let recording: Recording;
let engine: EngineContext;
let projectId: string;

beforeAll(() => {
  recording = recordStatements(scene.engine);
  ({ engine } = recording);
});
beforeEach(async () => {
  projectId = await createTestProject(scene.engine);
});

type Answer = Record<string, Record<string, unknown>>;

const ask = async (document: string, variables = {}, principal = secretKey(projectId)): Promise<Answer> =>
  (await query(engine, principal, document, variables)) as Answer;

const createEndpoint = /* GraphQL */ `
  mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { secret webhookEndpoint { id name app url eventKinds scheme enabled } }
  }`;
const updateEndpoint = /* GraphQL */ `
  mutation ($input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(input: $input) { secret webhookEndpoint { id name enabled previousSecretUntil } }
  }`;
const createSource = /* GraphQL */ `
  mutation ($input: CreateWebhookSourceInput!) {
    createWebhookSource(input: $input) { secret webhookSource { id eventName scheme handshake token receiveUrl } }
  }`;

interface PageOf<Node> {
  nodes: Node[];
  pageInfo: { endCursor: string; hasNextPage: boolean };
}
const pageOf = <Node>(connection: unknown) => connection as PageOf<Node>;
const idOf = (thing: unknown): string => (thing as { id: string }).id;
const newEndpoint = async (more: object = {}): Promise<string> => {
  const input = { url: `https://example.com/${newId()}`, eventKinds: ['RUN_FAILED'], ...more };
  return idOf((await ask(createEndpoint, { input }))['createWebhookEndpoint']?.['webhookEndpoint']);
};
const newSource = async (more: object = {}): Promise<string> => {
  const input = { eventName: 'paid', ...more };
  return idOf((await ask(createSource, { input }))['createWebhookSource']?.['webhookSource']);
};

describe('endpoints', () => {
  test('are created, changed, rotated and deleted, each with one input', async () => {
    const input = {
      name: 'a',
      url: 'https://example.com',
      eventKinds: ['RUN_FAILED', 'STEP_SKIPPED'],
      scheme: 'STANDARD',
    };
    const created = (await ask(createEndpoint, { input }))['createWebhookEndpoint'];
    expect(created).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      webhookEndpoint: { ...input, id: expect.any(String), app: null, enabled: true },
    });
    const id = idOf(created?.['webhookEndpoint']);
    const changed = await ask(updateEndpoint, { input: { id, name: null, enabled: false } });
    expect(changed['updateWebhookEndpoint']).toEqual({
      secret: null,
      webhookEndpoint: { id, name: null, enabled: false, previousSecretUntil: null },
    });
    const rotated = await ask(updateEndpoint, { input: { id, rotateSecret: true } });
    expect(rotated['updateWebhookEndpoint']).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      webhookEndpoint: { previousSecretUntil: expect.any(String) },
    });
    await expect(ask(updateEndpoint, { input: { id, rotateSecret: true } })).rejects.toThrow(
      new HoldfastError('conflict', 'secret rotation in progress'),
    );
    const remove = `mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { webhookEndpoint { id name } } }`;
    expect((await ask(remove, { id }))['deleteWebhookEndpoint']).toEqual({ webhookEndpoint: { id, name: null } });
    expect(await ask(`{ webhookEndpoint(id: "${id}") { id } }`)).toEqual({ webhookEndpoint: null });
    await expect(ask(remove, { id })).rejects.toThrow('webhook endpoint not found');
  });

  test('are a connection, newest first, in one statement a page', async () => {
    const ids = [await newEndpoint(), await newEndpoint(), await newEndpoint()].reverse();
    recording.clear();
    const page = `{ webhookEndpoints(first: 2) { nodes { id url eventKinds previousSecretUntil } edges { node { id } } pageInfo { hasNextPage endCursor } } }`;
    const first = pageOf<{ id: string }>((await ask(page))['webhookEndpoints']);
    expect(recording.statements).toEqual(['listEndpointRows']);
    expect(first.nodes.map(idOf)).toEqual(ids.slice(0, 2));
    const { endCursor, hasNextPage } = first.pageInfo;
    expect(hasNextPage).toBe(true);
    const rest = `query ($after: String) { webhookEndpoints(after: $after) { nodes { id } pageInfo { hasNextPage } } }`;
    expect(await ask(rest, { after: endCursor })).toEqual({
      webhookEndpoints: { nodes: [{ id: ids[2] }], pageInfo: { hasNextPage: false } },
    });
    const source = `query ($after: String) { webhookSources(after: $after) { nodes { id } } }`;
    await expect(ask(source, { after: endCursor })).rejects.toThrow('cursor');
  });

  test('of another project are unknown', async () => {
    const id = await newEndpoint();
    const stranger = secretKey(await createTestProject(scene.engine));
    expect(await ask('{ webhookEndpoints { nodes { id } } }', {}, stranger)).toEqual({
      webhookEndpoints: { nodes: [] },
    });
    expect(await ask(`{ webhookEndpoint(id: "${id}") { id } }`, {}, stranger)).toEqual({ webhookEndpoint: null });
    await expect(ask(updateEndpoint, { input: { id, name: 'x' } }, stranger)).rejects.toThrow('not found');
  });

  test('are changed by the operator in a project that it names', async () => {
    const id = await newEndpoint();
    const { updateWebhookEndpoint } = await ask(updateEndpoint, { input: { id, name: 'x' } }, operator(projectId));
    expect(updateWebhookEndpoint).toMatchObject({ webhookEndpoint: { name: 'x' } });
  });
});

describe('sources', () => {
  test('show token and address, but to public keys', async () => {
    const input = { eventName: 'paid', scheme: 'GITHUB', handshake: 'SLACK', exposeHeaders: ['X-GitHub-Event'] };
    const created = (await ask(createSource, { input }))['createWebhookSource'];
    const source = created?.['webhookSource'] as { id: string; token: string };
    expect(created).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      webhookSource: {
        id: source.id,
        eventName: 'paid',
        scheme: 'GITHUB',
        handshake: 'SLACK',
        token: expect.stringMatching(/^[\w-]{43}$/),
        receiveUrl: `https://hooks.example.com/webhooks/${source.token}`,
      },
    });
    const read = `{ webhookSource(id: "${source.id}") { token receiveUrl exposeHeaders } }`;
    expect(await ask(read)).toMatchObject({
      webhookSource: { token: source.token, exposeHeaders: ['x-github-event'] },
    });
    expect(await ask(read, {}, publicKey(projectId))).toMatchObject({
      webhookSource: { token: null, receiveUrl: null },
    });
  });

  test('are read with their tokens in one statement a page', async () => {
    for (let index = 0; index < 3; index += 1) await newSource();
    recording.clear();
    const { nodes } = pageOf<{ token: string }>(
      (await ask('{ webhookSources { nodes { id token receiveUrl } } }'))['webhookSources'],
    );
    expect(recording.statements).toEqual(['listSourceRows']);
    expect(new Set(nodes.map(({ token }) => token)).size).toBe(3);
  });

  test('are changed and deleted, each with one input', async () => {
    const id = await newSource({ name: 'a', dedupeKey: 'id' });
    const update = /* GraphQL */ `
      mutation ($input: UpdateWebhookSourceInput!) {
        updateWebhookSource(input: $input) { secret webhookSource { name dedupeKey scheme } }
      }`;
    expect(await ask(update, { input: { id, dedupeKey: null, scheme: 'STRIPE', secret: 'a known secret' } })).toEqual({
      updateWebhookSource: {
        secret: 'a known secret',
        webhookSource: { name: 'a', dedupeKey: null, scheme: 'STRIPE' },
      },
    });
    const remove = `mutation ($id: ID!) { deleteWebhookSource(input: { id: $id }) { webhookSource { id } } }`;
    expect(await ask(remove, { id })).toEqual({ deleteWebhookSource: { webhookSource: { id } } });
    expect(await ask(`{ webhookSource(id: "${id}") { id } }`)).toEqual({ webhookSource: null });
  });
});
