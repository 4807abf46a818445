import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Documents } from '../../src/graphql/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { usualDocumentLimits } from '../support/settings.ts';
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

  /** Fields twice, and again, and again. */
  const doubled = (times: number): string => {
    const fragments = Array.from({ length: times }, (_, n) => `fragment f${n} on Run { ...f${n + 1} ...f${n + 1} }`);
    return `{ runs { nodes { ...f0 } } } ${fragments.join(' ')} fragment f${times} on Run { id status }`;
  };
  const schemaOften = Array.from(
    { length: 30 },
    (_, n) => `a${n}: __schema { types { name description fields { name description args { name } } } }`,
  ).join(' ');

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

  it('10 000 nodes, in all operations together', () => {
    const documents = new Documents(usualDocumentLimits);
    const two = `query a ${doubled(11)} query b { runs { nodes { ...f0 ...f0 } } }`;
    expect(documents.check(two).errors?.[0]?.message).toBe('the document has more than 10000 nodes');
    expect(documents.check(doubled(12)).errors).toBeUndefined();
  });

  it('5 000 tokens', async () => {
    expect((await ask(`{ viewer { ${'name '.repeat(4_996)}} }`)).body.errors?.[0]?.message).toBe(
      'the document has more than 5000 tokens',
    );
    expect((await ask(`{ viewer { ${'name '.repeat(4_990)}} }`)).body.errors).toBeUndefined();
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

  it('more fragments than can be followed from all operations', async () => {
    const fragments = Array.from(
      { length: 150 },
      (_, n) => `fragment f${n} on Query { ${n < 149 ? `...f${n + 1}` : '__typename'} }`,
    );
    const operations = Array.from({ length: 149 }, (_, n) => `query q${n} { ...f${n} }`);
    const { body } = await post(
      JSON.stringify({ query: [...operations, ...fragments].join('\n'), operationName: 'q0' }),
    );
    expect(body.errors?.[0]?.message).toBe('the operations of the document spread more than 10000 fragments');
  });

  it.each(['application/json', 'application/graphql-response+json'])(
    'refuse with 400, and an error like any other, also who accepts %s',
    async (accept) => {
      const beyond = [
        [nested(12), '14 levels'],
        [aliases(31), '30 aliases'],
        [doubled(13), '10000 nodes'],
        [`${'{ a '.repeat(1_600)}${'}'.repeat(1_600)}`, 'nested'],
        [`{ viewer { ${'name '.repeat(4_996)} } }`, '5000 tokens'],
        [`${'\n'.repeat(50_001)}{ viewer { name } }`, '50000 line breaks and escapes'],
        [`{ run(id: "${'\\n'.repeat(50_001)}") { id } }`, '50000 line breaks and escapes'],
        [`{ ${'a'.repeat(257)}: viewer { name } }`, 'a name in the document has more than 256 characters'],
        [`{ ${schemaOften} }`, '30000 fields of the schema'],
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
    const documents = new Documents({ tokens: 40, depth: 3, aliases: 1, nodes: 4, jsonDepth: 2 });
    const refusal = (document: string): string | undefined => documents.check(document).errors?.[0]?.message;
    expect(refusal('{ runs { nodes { id } } }')).toBeUndefined();
    expect(refusal('{ runs { nodes { parent { id } } } }')).toBe('the document is nested deeper than 3 levels');
    expect(refusal('{ a: viewer { b: name } }')).toBe('the document has more than 1 aliases');
    expect(refusal('{ viewer { name kind actor } apps { name } }')).toBe('the document has more than 4 nodes');
    const deep = 'mutation { sendEvent(input: { name: "x", data: [[]] }) { woke } }';
    expect(refusal(deep)).toBe('JSON is nested deeper than 2 levels');
    expect(refusal(`{ viewer { ${'name '.repeat(40)} } }`)).toBe('the document has more than 40 tokens');
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

describe('errors and variables', () => {
  it('names and values in errors are cut at 100 characters, and a text at 1000', async () => {
    const x = (length: number): string => 'x'.repeat(length);
    const field = await ask(`{ ${x(200)} }`);
    expect(field.body.errors?.[0]?.message).toBe(`Cannot query field "${x(100)}…" on type "Query".`);
    expect((await ask(`{ ${x(200)}`)).text).not.toContain(x(101));
    const value = await ask('query ($s: RunStatusFilter) { runs(filter: { status: $s }) { nodes { id } } }', {
      s: x(100_000),
    });
    expect(value.body.errors?.[0]?.message).toContain(`"${x(100)}…"`);
    const words = await ask(`{ runs(first: "${'many words '.repeat(1_000)}") { nodes { id } } }`);
    expect(words.body.errors?.[0]?.message).toHaveLength(1_001);
    expect(codeOf(words)).toBe('BAD_USER_INPUT');
  });

  it('lists of variables have 10 000 elements together, those inside of JSON not counted', async () => {
    const zeros = (length: number): number[] => Array.from({ length }, () => 0);
    const document = (type: string): string =>
      `mutation ($d: ${type}) { sendEvent(input: { name: "n", data: { list: $d } }) { eventId } }`;
    const refused = await ask(document('[JSON!]'), { d: zeros(10_001) });
    expect({ status: refused.status, ...refused.body }).toMatchObject({
      status: 400,
      errors: [
        {
          message: 'the variables hold more than 10000 list elements: send a long list as one value of type JSON',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
    expect((await ask(document('[JSON!]'), { d: zeros(10) })).body.errors).toBeUndefined();
    expect((await ask(document('JSON'), { d: zeros(20_000) })).body.errors).toBeUndefined();
  });
});
