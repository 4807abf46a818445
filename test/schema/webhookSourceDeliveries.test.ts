import { beforeAll, expect, test } from 'vitest';
import { openInbox, receiveMessage } from '../../src/engine/webhooks/inbound/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { createTestSource, serviceHeaders, type TestSource } from '../support/webhookSources.ts';
import { publicKey, query, recordStatements, secretKey } from './fixtures.ts';

const scene = useEngine();
let projectId: string;
let source: TestSource;
const here = { isGone: () => false, whenOver: () => undefined };

async function send(body: string): Promise<string> {
  const inbox = await openInbox(scene.engine, source.token, here);
  if (!inbox) throw new Error('the source is unknown');
  const headers = Object.entries(serviceHeaders(source.secret, body));
  const receipt = await receiveMessage(scene.engine, inbox.question, { headers, body: Buffer.from(body) });
  if (receipt.kind !== 'accepted') throw new Error(`the message is ${receipt.kind}`);
  return receipt.deliveryId;
}

const ask = (document: string, variables: object = {}) =>
  query(scene.engine, secretKey(projectId), document, { ...variables });

beforeAll(async () => {
  projectId = await createTestProject(scene.engine);
  source = await createTestSource(scene.engine, projectId);
});

const detail = `query ($id: ID!) { webhookSourceDelivery(id: $id) {
  id source status failureReason eventId runId requestHeaders body bodyEncoding createdAt
  attempts { attempt trigger status eventId runId actor }
} }`;

test('webhookSourceDelivery has the fields of 2.10; those that do not apply are null', async () => {
  const id = await send('{"a":1}');
  expect(await ask(detail, { id })).toEqual({
    webhookSourceDelivery: {
      id,
      source: source.id,
      status: 'INGESTED',
      failureReason: null,
      eventId: expect.any(String),
      runId: null,
      requestHeaders: { 'x-service-signature': expect.stringMatching(/^t=/) },
      body: '{"a":1}',
      bodyEncoding: null,
      createdAt: expect.any(String),
      attempts: [
        {
          attempt: 1,
          trigger: 'INITIAL',
          status: 'INGESTED',
          eventId: expect.any(String),
          runId: null,
          actor: null,
        },
      ],
    },
  });
  expect(await ask(detail, { id: source.id })).toEqual({ webhookSourceDelivery: null });
  const stranger = secretKey(await createTestProject(scene.engine));
  expect(await query(scene.engine, stranger, detail, { id })).toEqual({ webhookSourceDelivery: null });
});

test('webhookSourceDeliveries pages, and reads bodies and attempts of a page with one statement each', async () => {
  for (let n = 0; n < 5; n += 1) await send(`${n}`);
  const list = `query ($source: ID, $after: String) {
    webhookSourceDeliveries(source: $source, status: INGESTED, first: 3, after: $after) {
      nodes { id body requestHeaders attempts { attempt } } pageInfo { hasNextPage endCursor }
    } }`;
  const { engine, statements } = recordStatements(scene.engine);
  const answer = await query(engine, secretKey(projectId), list, { source: source.id });
  expect(answer).toMatchObject({
    webhookSourceDeliveries: {
      nodes: ['4', '3', '2'].map((body) => ({ body, attempts: [{ attempt: 1 }] })),
      pageInfo: { hasNextPage: true },
    },
  });
  for (const name of ['selectSourceAttempts', 'selectStoredMessages'])
    expect(statements.filter((each) => each === name)).toHaveLength(1);
});

test('replaySourceDelivery answers the new outcome and the delivery; a public key may not', async () => {
  const id = await send('{"a":2}');
  const mutation = `mutation ($id: ID!) { replaySourceDelivery(input: { id: $id }) {
    deliveryId status eventId runId delivery { status attempts { attempt trigger actor } } } }`;
  expect(await ask(mutation, { id })).toEqual({
    replaySourceDelivery: {
      deliveryId: id,
      status: 'INGESTED',
      eventId: expect.any(String),
      runId: null,
      delivery: {
        status: 'INGESTED',
        attempts: [
          { attempt: 1, trigger: 'INITIAL', actor: null },
          { attempt: 2, trigger: 'REPLAY', actor: 'test key' },
        ],
      },
    },
  });
  await expect(query(scene.engine, publicKey(projectId), mutation, { id })).rejects.toMatchObject({
    kind: 'forbidden',
  });
});
