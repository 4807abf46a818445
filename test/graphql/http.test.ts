import { executeSync, type GraphQLField, type GraphQLObjectType, getIntrospectionQuery, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { schema } from '../../src/schema/index.ts';
import { insertRun, recordingLog } from '../schema/fixtures.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { type Answer, type AskOptions, answerOf, codeOf, postTo } from './asking.ts';
import { openSocket } from './rawSocket.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;
let reading: IssuedKey;
const { log, lines } = recordingLog();

beforeAll(async () => {
  engine = { ...test.engine, log };
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'secret');
  reading = await issueKey(engine, projectId, 'public');
  server = await startGraphql(engine);
});
afterAll(() => server.stop());

const post = (body: string, options?: AskOptions): Promise<Answer> =>
  postTo({ url: server.url, token: key.token }, body, options);

const ask = (query: string, variables: unknown = {}, options?: AskOptions): Promise<Answer> =>
  post(JSON.stringify({ query, variables }), options);

describe('POST /graphql', () => {
  it('answers a query', async () => {
    const { status, body, headers } = await ask('{ viewer { name kind project { id } } }');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toEqual({ data: { viewer: { name: 'secret key', kind: 'SECRET', project: { id: projectId } } } });
  });

  it('reads the names in headers as UTF-8', async () => {
    const { token } = await createApiKey(engine, { name: 'console', kind: 'platform' });
    const actor = Buffer.from('田中 Zoë', 'utf8').toString('latin1');
    const headers = { 'x-service-project': projectId, 'x-service-actor': actor };
    expect((await ask('{ viewer { actor } }', {}, { token, headers })).body).toEqual({
      data: { viewer: { actor: '田中 Zoë' } },
    });
  });

  it('keeps payloads character by character, from the variables to the answer', async () => {
    const data = '{"n":1e400,"i":12345678901234567890,"z":-0,"__proto__":{"a":1},"d":1.10}';
    const { text } = await post(
      `{"variables": {"input": {"name": "n", "data": ${data} }},
        "query": "mutation ($input: SendEventInput!) { sendEvent(input: $input) { event { data } } }"}`,
    );
    expect(text).toBe(`{"data":{"sendEvent":{"event":{"data":${data}}}}}`);
  });

  it('reads variables as the chosen operation declares them, whatever the others of the document do', async () => {
    const chosen = 'mutation A($d: JSON) { sendEvent(input: { name: "n", data: $d }) { event { data } } }';
    const typed = 'mutation A($input: SendEventInput!) { sendEvent(input: $input) { event { data } } }';
    const cases = [
      [chosen, 'query B($d: ID!) { run(id: $d) { id } }', '{"d": 1e400}'],
      [
        typed,
        'mutation B($input: JSON) { sendEvent(input: { name: "n", data: $input }) { eventId } }',
        '{"input": {"name": "n", "data": 1e400}}',
      ],
    ] as const;
    for (const [first, second, variables] of cases) {
      for (const query of [`${first} ${second}`, `${second} ${first}`]) {
        const { text } = await post(
          `{"operationName": "A", "query": ${JSON.stringify(query)}, "variables": ${variables}}`,
        );
        expect(text).toBe('{"data":{"sendEvent":{"event":{"data":1e400}}}}');
      }
    }
  });

  it('takes payloads as variables of their own, inside lists, and null', async () => {
    const document = 'mutation ($d: JSON) { sendEvent(input: { name: "n", data: $d }) { event { data } } }';
    const sent = (variables: string): Promise<Answer> =>
      post(`{"query": ${JSON.stringify(document)}, "variables": ${variables}}`);
    expect((await sent('{"d": [1e999]}')).text).toContain('"data":[1e999]}');
    expect((await sent('{"d": 1e999}')).text).toContain('"data":1e999}');
    expect((await sent('{"d": null}')).text).toContain('"data":null}');
  });

  it('refuses unknown keys, and calls without one, with 401', async () => {
    for (const authorization of ['', 'Bearer nonsense', `Basic ${key.token}`]) {
      const answer = await ask('{ viewer { name } }', {}, { headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(codeOf(answer)).toBe('UNAUTHENTICATED');
    }
  });

  it('lets a public key query, and answers its mutations FORBIDDEN', async () => {
    expect((await ask('{ runs { nodes { id } } }', {}, { token: reading.token })).body).toEqual({
      data: { runs: { nodes: [] } },
    });
    const answer = await ask('mutation { sendEvent(input: { name: "x" }) { woke } }', {}, { token: reading.token });
    expect(codeOf(answer)).toBe('FORBIDDEN');
    expect(answer.body.errors?.[0]?.message).toContain('secret');
  });

  it.each([
    ['{ run(id: "x") { nope } }', 'BAD_USER_INPUT'],
    ['{ run(', 'BAD_USER_INPUT'],
    ['query ($n: Int!) { runs(first: $n) { nodes { id } } }', 'BAD_USER_INPUT'],
    ['{ runs(first: 0) { nodes { id } } }', 'BAD_USER_INPUT'],
    ['{ runs(after: "x") { nodes { id } } }', 'BAD_USER_INPUT'],
    ['{ runs(filter: { since: "yesterday" }) { nodes { id } } }', 'BAD_USER_INPUT'],
    ['{ runs(filter: { status: DONE }) { nodes { id } } }', 'BAD_USER_INPUT'],
    ['mutation { cancelRun(input: { runId: "x" }) { run { id } } }', 'NOT_FOUND'],
    ['mutation { triggerWorkflow(input: { app: "a", name: "b" }) { runId } }', 'NOT_FOUND'],
    ['mutation { createProject(input: { name: "x" }) { project { id } } }', 'FORBIDDEN'],
  ])('%s answers %s', async (document, expected) => {
    expect(codeOf(await ask(document))).toBe(expected);
  });

  it('a terminal run answers CONFLICT with the reason of 7.3', async () => {
    const id = await insertRun(engine, projectId, { status: 'succeeded' });
    const answer = await ask('mutation ($id: ID!) { cancelRun(input: { runId: $id }) { run { id } } }', { id });
    expect(answer.body.errors?.[0]).toMatchObject({
      message: 'run already in a terminal state',
      extensions: { code: 'CONFLICT' },
    });
  });

  it('answers BUSY while no database connection is free, and 503 if even the key cannot be read', async () => {
    const refuse = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
    const away = {
      ...engine,
      db: { ...engine.db, query: refuse as EngineContext['db']['query'], transaction: refuse },
    };
    const broken = await startGraphql(away);
    try {
      const body = JSON.stringify({ query: '{ runs { nodes { id } } }' });
      const refused = await postTo({ url: broken.url, token: key.token }, body);
      expect([refused.status, refused.headers.get('retry-after'), codeOf(refused)]).toEqual([503, '1', 'BUSY']);
      const socket = await openSocket(broken, { authorization: `Bearer ${key.token}` });
      socket.send({ type: 'connection_init' });
      expect(await socket.closed).toMatchObject({ code: 1013, reason: 'the database cannot answer now: retry' });
      away.db.query = engine.db.query;
      await postTo({ url: broken.url, token: key.token }, '{"query":"{ viewer { name } }"}');
      away.db.query = refuse as EngineContext['db']['query'];
      const busy = await postTo({ url: broken.url, token: key.token }, body);
      expect(codeOf(busy)).toBe('BUSY');
    } finally {
      await broken.stop();
    }
  });

  it('masks what nobody expected, and logs it', async () => {
    const failing: EngineContext = {
      ...engine,
      db: {
        ...engine.db,
        query: () => Promise.reject(new Error('secret detail of the database')),
      } as EngineContext['db'],
    };
    const broken = await startGraphql({ ...failing, db: { ...failing.db, prisma: engine.db.prisma } });
    try {
      lines.length = 0;
      // The key is read through the same engine: it has to be known before the database fails.
      const answer = await answerOf(
        await fetch(broken.url, {
          method: 'POST',
          headers: { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query: '{ runs { nodes { id } } }' }),
        }),
      );
      expect(answer.body.errors).toHaveLength(1);
      expect(answer.body.errors?.[0]).toMatchObject({ message: 'internal error', extensions: { code: 'INTERNAL' } });
      expect(answer.text).not.toContain('secret detail');
      expect(lines.join()).toContain('secret detail');
    } finally {
      await broken.stop();
    }
  });

  it.each([
    ['not JSON', 'x'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['no query', '{}'],
    ['a query that is no string', '{"query": 1}'],
    ['variables that are no object', '{"query": "{ viewer { name } }", "variables": 1}'],
    ['nesting deeper than 500', `{"query":"{ viewer { name } }","variables":${'['.repeat(501)}${']'.repeat(501)}}`],
    ['NUL', '{"query": "\0"}'],
  ])('a body that is %s answers 400', async (_what, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
  });

  it('a body over 1 MiB answers 413', async () => {
    const answer = await post(
      JSON.stringify({ query: '{ viewer { name } }', variables: { x: 'x'.repeat(1024 * 1024) } }),
    );
    expect(answer.status).toBe(413);
    const chunked = await fetch(server.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' },
      body: new ReadableStream({
        start(controller) {
          for (let n = 0; n < 20; n++) controller.enqueue(new Uint8Array(64 * 1024).fill(32));
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    await chunked.text();
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('refuses the content type "%s" with 415', async (type) => {
    const answer = await ask('{ viewer { name } }', {}, { headers: { 'content-type': type } });
    expect({ status: answer.status, ...answer.body }).toEqual({
      status: 415,
      errors: [{ message: 'the content type must be application/json', extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it('reads JSON with a parameter of its type', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await ask('{ viewer { name } }', {}, { headers })).status).toBe(200);
  });

  it('refuses pages of another origin with 403, before the key is read', async () => {
    const { origin: own } = new URL(server.url);
    expect((await ask('{ viewer { name } }', {}, { headers: { origin: own } })).status).toBe(200);
    const answer = await ask('{ viewer { name } }', {}, { token: 'x', headers: { origin: 'http://evil.example' } });
    expect({ status: answer.status, ...answer.body }).toEqual({
      status: 403,
      errors: [
        {
          message: 'the origin of the page is not allowed (CORS_ORIGINS, ALLOWED_ORIGINS)',
          extensions: { code: 'FORBIDDEN' },
        },
      ],
    });
  });

  it('refuses subscriptions, and says where they run', async () => {
    const answer = await ask('subscription { runStatusChanged { runId } }');
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.[0]?.message).toContain('WebSocket');
  });

  it('lets tools read the schema, and makes the answer once', async () => {
    const { types } = (schema.getType('__Schema') as GraphQLObjectType).getFields();
    const resolved = vi.spyOn(types as Required<GraphQLField<unknown, unknown>>, 'resolve');
    const full = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true });
    const { body, text } = await ask(full);
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual(executeSync({ schema, document: parse(full) }).data);
    resolved.mockClear();
    expect((await ask(full)).text).toBe(text);
    expect((await ask(full, {}, { token: reading.token })).text).toBe(text);
    expect(resolved).not.toHaveBeenCalled();
  });

  it('counts what a document reads of the schema, with variables and fragments', async () => {
    const document = `query ($n: String!) { __type(name: $n) { ...t } viewer { name } }
      fragment t on __Type { name fields { name type { name ofType { name } } } }`;
    const { body } = await ask(document, { n: 'Viewer' });
    expect(body.data).toMatchObject({ __type: { name: 'Viewer' }, viewer: { name: 'secret key' } });
    const nested = (levels: number): string => '{ name fields { type '.repeat(levels);
    const large = `{ __schema { types ${nested(2)} { name kind } ${'} }'.repeat(2)} } }`;
    const often = Array.from({ length: 20 }, (_, n) => `a${n}: ${large.slice(1, -1)}`).join(' ');
    expect((await ask(`{ ${often} }`)).body.errors?.[0]).toMatchObject({
      message: 'the answer holds more than 30000 fields of the schema: ask for fewer at once',
    });
    const parts = Array.from({ length: 30 }, (_, n) => `a${n}: __type(name: $n) { ...t }`).join(' ');
    const byDefault = `query ($n: String! = "Query") { ${parts} } fragment t on __Type {
      fields { name type { ...u } args { name type { ...u } } } }
      fragment u on __Type { name ofType { ...v } ...v }
      fragment v on __Type { fields { name type { name ofType { name } } args { name type { name ofType { name } } } } }`;
    expect((await ask(byDefault)).body.errors?.[0]).toMatchObject({
      message: 'the answer holds more than 30000 fields of the schema: ask for fewer at once',
    });
  });
});

describe('GET /graphql', () => {
  const get = async (search: Record<string, string>, method = 'GET'): Promise<Answer> =>
    answerOf(
      await fetch(`${server.url}?${new URLSearchParams(search)}`, {
        method,
        headers: { authorization: `Bearer ${key.token}`, accept: 'application/json' },
      }),
    );

  it('answers queries, with variables', async () => {
    const query = 'query Q($n: Int) { runs(first: $n, filter: { session: "none" }) { nodes { id } } }';
    expect((await get({ query, variables: '{"n":5}', operationName: 'Q' })).body).toEqual({
      data: { runs: { nodes: [] } },
    });
  });

  it('refuses mutations with 405', async () => {
    const answer = await get({ query: 'mutation { sendEvent(input: { name: "x" }) { woke } }' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it('answers JSON also to a caller that asks for something else', async () => {
    for (const accept of ['text/html', 'application/xml']) {
      const { status, body, headers } = await ask('{ viewer { name } }', {}, { headers: { accept } });
      expect({ status, body }).toEqual({ status: 200, body: { data: { viewer: { name: 'secret key' } } } });
      expect(headers.get('content-type')).toContain('application/json');
    }
  });

  it.each([
    'text/event-stream',
    'text/event-stream, application/json',
    'application/json;q=0.9, text/*',
    'multipart/mixed',
  ])('answers JSON to a caller that accepts %s, whatever line breaks payloads hold', async (accept) => {
    const data = '{\n  "a": 1,\r\n  "b": [\n]\n}';
    const document = 'mutation ($d: JSON) { sendEvent(input: { name: "n", data: $d }) { event { data } } }';
    const sent = `{"query": ${JSON.stringify(document)}, "variables": {"d": ${data}}}`;
    const { status, text, headers } = await post(sent, { headers: { accept } });
    expect({ status, text }).toEqual({ status: 200, text: `{"data":{"sendEvent":{"event":{"data":${data}}}}}` });
    expect(headers.get('content-type')).toContain('application/json');
  });

  it('other methods answer 405', async () => {
    expect((await get({}, 'PUT')).status).toBe(405);
  });
});

describe('the members of a body', () => {
  it('that nobody knows are ignored, and those that are known are checked', async () => {
    const { status, body } = await post('{"query":"{ viewer { name } }","foo":1,"extensions":{},"id":null}');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ viewer: { name: expect.any(String) } });
    for (const wrong of ['"variables":1', '"operationName":7', '"extensions":[]', '"query":1']) {
      const refused = await post(`{"query":"{ viewer { name } }",${wrong}}`);
      expect(refused.body, wrong).toMatchObject({ errors: [{ message: expect.any(String) }] });
    }
  });
});
