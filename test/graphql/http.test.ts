import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey } from '../../src/engine/projects/index.ts';
import { Documents } from '../../src/graphql/index.ts';
import { insertRun, recordingLog } from '../schema/fixtures.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../support/engine.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

let test: TestEngine;
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;
let reading: IssuedKey;
const { log, lines } = recordingLog();

beforeAll(async () => {
  test = await createTestEngine();
  engine = { ...test.engine, log };
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'secret');
  reading = await issueKey(engine, projectId, 'public');
  server = await startGraphql(engine);
});
afterAll(async () => {
  await server.stop();
  await test.close();
});

interface Answer {
  status: number;
  text: string;
  headers: Headers;
  body: { data?: Record<string, unknown>; errors?: { message: string; extensions: { code: string } }[] };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, text, headers: response.headers, body: isJson ? JSON.parse(text) : {} };
}

const post = async (
  body: string,
  { token = key.token, headers = {} as Record<string, string> } = {},
): Promise<Answer> =>
  answerOf(
    await fetch(server.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json',
        ...headers,
      },
      body,
    }),
  );

const ask = (query: string, variables: unknown = {}, options = {}): Promise<Answer> =>
  post(JSON.stringify({ query, variables }), options);

const code = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.code;

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
      expect(code(answer)).toBe('UNAUTHENTICATED');
    }
  });

  it('lets a public key query, and answers its mutations FORBIDDEN', async () => {
    expect((await ask('{ runs { nodes { id } } }', {}, { token: reading.token })).body).toEqual({
      data: { runs: { nodes: [] } },
    });
    const answer = await ask('mutation { sendEvent(input: { name: "x" }) { woke } }', {}, { token: reading.token });
    expect(code(answer)).toBe('FORBIDDEN');
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
    expect(code(await ask(document))).toBe(expected);
  });

  it('a terminal run answers CONFLICT with the reason of 7.3', async () => {
    const id = await insertRun(engine, projectId, { status: 'succeeded' });
    const answer = await ask('mutation ($id: ID!) { cancelRun(input: { runId: $id }) { run { id } } }', { id });
    expect(answer.body.errors?.[0]).toMatchObject({
      message: 'run already in a terminal state',
      extensions: { code: 'CONFLICT' },
    });
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
    expect(code(answer)).toBe('BAD_USER_INPUT');
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

  it('refuses subscriptions, and says where they run', async () => {
    const answer = await ask('subscription { runStatusChanged { runId } }');
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.[0]?.message).toContain('WebSocket');
  });

  it('lets tools read the schema', async () => {
    const { body } = await ask(getIntrospectionQuery());
    expect(body.errors).toBeUndefined();
  });
});

describe('ceilings of a document', () => {
  const nested = (levels: number): string =>
    `{ runs { nodes { ${'parent { '.repeat(levels)} id ${'}'.repeat(levels)} } } }`;
  const aliases = (count: number): string =>
    `{ ${Array.from({ length: count }, (_, n) => `a${n}: viewer { name }`).join(' ')} }`;

  it('14 levels', async () => {
    expect((await ask(nested(11))).body.errors).toBeUndefined();
    expect((await ask(nested(12))).body.errors?.[0]?.message).toBe('the document is nested deeper than 14 levels');
    const spread = `query { runs { nodes { ...a } } } fragment a on Run { parent { parent { parent { parent { parent { parent { ...b } } } } } } }
      fragment b on Run { parent { parent { parent { parent { parent { parent { id } } } } } } }`;
    expect((await ask(spread)).body.errors?.[0]?.message).toContain('deeper than 14 levels');
  });

  it('30 aliases', async () => {
    expect((await ask(aliases(30))).body.errors).toBeUndefined();
    expect((await ask(aliases(31))).body.errors?.[0]?.message).toBe('the document has more than 30 aliases');
  });

  it('10 000 nodes, fragments written out, counted without writing them out', async () => {
    const levels = 60;
    const bomb = Array.from({ length: levels }, (_, n) => `fragment f${n} on Run { ...f${n + 1} ...f${n + 1} }`).join(
      ' ',
    );
    const answer = await ask(`query { runs { nodes { ...f0 } } } ${bomb} fragment f${levels} on Run { id }`);
    expect(answer.body.errors?.[0]?.message).toBe('the document has more than 10000 nodes');
  });

  it('500 levels of a value written out', async () => {
    const sent = (levels: number): string =>
      `mutation { sendEvent(input: { name: "deep", data: ${'['.repeat(levels)}${']'.repeat(levels)} }) { eventId } }`;
    expect((await ask(sent(499))).body.errors).toBeUndefined();
    const answer = await ask(sent(500));
    expect(answer.body.errors?.[0]?.message).toBe('JSON is nested deeper than 500 levels');
    expect(code(answer)).toBe('BAD_USER_INPUT');
  });

  it('a name that no operation has is refused, and not said to be missing', async () => {
    const answer = await post('{"query":"query a { viewer { name } }","operationName":"b"}');
    expect(answer.body.errors?.[0]?.message).toBe('operationName names no operation of the document');
  });

  it('a field that is repeated too often to be compared, with the number of steps', async () => {
    expect((await ask(`{ ${'__typename '.repeat(707)} }`)).body).toEqual({ data: { __typename: 'Query' } });
    for (const document of [`{ ${'__typename '.repeat(708)} }`, `{ viewer { ${'name '.repeat(9000)} } }`])
      expect((await ask(document)).body.errors?.[0]?.message).toMatch(
        /^the document takes too much work to check: it repeats a field too often .* more than 500000 steps/,
      );
  });

  it('more fragments than can be followed from all operations, by the same name of the limit', async () => {
    const fragments = Array.from(
      { length: 300 },
      (_, n) => `fragment f${n} on Query { ${n < 299 ? `...f${n + 1}` : '__typename'} }`,
    );
    const operations = Array.from({ length: 200 }, (_, n) => `query q${n} { ...f${n} }`);
    const { body } = await post(
      JSON.stringify({ query: [...operations, ...fragments].join('\n'), operationName: 'q0' }),
    );
    expect(body.errors?.[0]?.message).toMatch(
      /^the document takes too much work to check: .*\(more than 50000 steps\)/,
    );
  });

  it.each(['application/json', 'application/graphql-response+json'])(
    'refuse with 400, and an error like any other, also who accepts %s',
    async (accept) => {
      const beyond = [
        [nested(12), '14 levels'],
        [aliases(31), '30 aliases'],
        [`{ viewer { ${'name '.repeat(10_000)} } }`, '10000 nodes'],
        [`{ ${'viewer { name } '.repeat(709)} }`, '500000 steps'],
        [`${'{ a '.repeat(20_000)}${'}'.repeat(20_000)}`, 'nested'],
        [`{ viewer(${'a: 1 '.repeat(33_400)}) { name } }`, '100000 tokens'],
        [
          `mutation { sendEvent(input: { name: "x", data: ${'['.repeat(600)}${']'.repeat(600)} }) { woke } }`,
          '500 levels',
        ],
      ] as const;
      for (const [document, limit] of beyond) {
        const { status, body } = await ask(document, {}, { headers: { accept } });
        expect({ status, ...body }).toEqual({
          status: 400,
          errors: [{ message: expect.stringContaining(limit), extensions: { code: 'BAD_USER_INPUT' } }],
        });
      }
    },
  );

  it('are no reason to answer mistakes in a document otherwise', async () => {
    const [query, accept] = ['{ nonsense }', 'application/graphql-response+json'];
    expect(await ask(query)).toMatchObject({ status: 200 });
    expect(await ask(query, {}, { headers: { accept } })).toMatchObject({ status: 400 });
  });

  it('are settings, and the errors name what was set', async () => {
    const documents = new Documents({ depth: 3, aliases: 1, nodes: 4, jsonDepth: 2 });
    const refusal = (document: string): string | undefined => documents.read(document).errors?.[0]?.message;
    expect(refusal('{ runs { nodes { id } } }')).toBeUndefined();
    expect(refusal('{ runs { nodes { parent { id } } } }')).toBe('the document is nested deeper than 3 levels');
    expect(refusal('{ a: viewer { b: name } }')).toBe('the document has more than 1 aliases');
    expect(refusal('{ viewer { name kind actor } apps { name } }')).toBe('the document has more than 4 nodes');
    const deep = 'mutation { sendEvent(input: { name: "x", data: [[]] }) { woke } }';
    expect(refusal(deep)).toBe('JSON is nested deeper than 2 levels');
  });

  it('fragments in a circle are refused by validation', async () => {
    const answer = await ask('query { runs { nodes { ...a } } } fragment a on Run { ...b } fragment b on Run { ...a }');
    expect(answer.body.errors?.[0]?.message).toContain('Cannot spread fragment');
  });

  it.each([
    ['selections', '{a'.repeat(50_000)],
    ['lists', `{ runs(x: ${'['.repeat(100_000)}`],
    ['objects', `{ runs(x: ${'{a:'.repeat(30_000)}`],
  ])('a document of endless %s is bad input, and the service lives', async (_what, document) => {
    const answer = await ask(document);
    expect(code(answer)).toBe('BAD_USER_INPUT');
    expect((await ask('{ viewer { name } }')).status).toBe(200);
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

  it('has no page that loads scripts from elsewhere', async () => {
    const response = await fetch(server.url, {
      headers: { authorization: `Bearer ${key.token}`, accept: 'text/html' },
    });
    expect(await response.text()).not.toContain('<script');
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
