import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Documents } from '../../src/graphql/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { type Answer, type AskOptions, codeOf, postTo } from './asking.ts';
import { type GraphqlServer, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let server: GraphqlServer;
let token: string;

beforeAll(async () => {
  const projectId = await createTestProject(test.engine);
  token = (await issueKey(test.engine, projectId, 'secret')).token;
  server = await startGraphql(test.engine);
});
afterAll(() => server.stop());

const post = (body: string, options?: AskOptions): Promise<Answer> => postTo({ url: server.url, token }, body, options);

const ask = (query: string, variables: unknown = {}, options?: AskOptions): Promise<Answer> =>
  post(JSON.stringify({ query, variables }), options);

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
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
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
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
    expect((await ask('{ viewer { name } }')).status).toBe(200);
  });
});
