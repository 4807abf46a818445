import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { sendEvent } from '../../src/engine/events/index.ts';
import { revokeApiKey } from '../../src/engine/keys/index.ts';
import { openStream, type SseReader } from '../rest/sseReader.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { type Answer, codeOf, postTo } from './asking.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'secret');
  server = await startGraphql(engine);
});
afterAll(() => server.stop());

const createTicket = 'mutation ($path: String) { createStreamTicket(input: { path: $path }) { ticket expiresAt } }';

const ask = (token: string, path?: string): Promise<Answer> =>
  postTo({ url: server.url, token }, JSON.stringify({ query: createTicket, variables: { path } }));

async function newTicket(path?: string, token = key.token): Promise<string> {
  const { body } = await ask(token, path);
  expect(body).toMatchObject({ data: { createStreamTicket: { ticket: expect.any(String) } } });
  return Object(body.data?.['createStreamTicket']).ticket;
}

/** Opens a stream as an `EventSource` does. */
const open = (query: string, ticket: string): Promise<SseReader> =>
  openStream(`${server.url}?${new URLSearchParams({ query, ticket })}`, { accept: 'text/event-stream' });

const ingested = 'subscription { eventIngested { name } }';

describe('a subscription as Server-Sent Events with a ticket', () => {
  it('opens without a key, once', async () => {
    const ticket = await newTicket('/graphql');
    const stream = await open(ingested, ticket);
    await sendEvent(engine, { projectId, input: { name: 'order.placed' } });
    expect(await stream.next()).toMatchObject({
      event: 'next',
      data: { data: { eventIngested: { name: 'order.placed' } } },
    });
    stream.leave();
    expect((await open(ingested, ticket)).status).toBe(401);
  });

  it.each(['/runs/stream', '/events/stream'])('does not open with a ticket for %s', async (path) => {
    expect((await open(ingested, await newTicket(path))).status).toBe(401);
  });

  it.each(['/graphql/x', '/graphql?query={x}', '/runs'])(
    'needs the path of a stream, which %s is not',
    async (path) => {
      const { body } = await ask(key.token, path);
      expect(body.errors?.[0]?.message).toMatch(/^path: must be the path of a stream without its query: .*graphql$/);
    },
  );

  it('answers no query and no mutation', async () => {
    for (const query of ['{ viewer { kind } }', 'mutation { sendEvent(input: { name: "x" }) { eventId } }'])
      expect((await open(query, await newTicket())).status).toBe(403);
    const plain = await fetch(`${server.url}?query={viewer{kind}}&ticket=${await newTicket()}`);
    expect(plain.status).toBe(401);
  });

  it('ends with the key that asked for the ticket', async () => {
    const { id, token } = await issueKey(engine, projectId, 'secret');
    const stream = await open(ingested, await newTicket('/graphql', token));
    await revokeApiKey(engine, { id });
    expect(await stream.rest()).toEqual([]);
  });

  it('needs a secret key: a public one may not write', async () => {
    const { token } = await issueKey(engine, projectId, 'public');
    expect(codeOf(await ask(token))).toBe('FORBIDDEN');
  });
});
