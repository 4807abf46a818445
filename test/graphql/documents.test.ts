import { type GraphQLOutputType, getNamedType, isAbstractType, isLeafType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { Documents } from '../../src/graphql/index.ts';
import { schema } from '../../src/schema/index.ts';
import { usualDocumentLimits } from '../support/settings.ts';

/** A document of its own, about as long as said. */
const valid = (n: number, length = 30): string => `query q${n} { viewer { name } } #${'x'.repeat(length)}`;

test('a document that was read is remembered', () => {
  const documents = new Documents(usualDocumentLimits);
  expect(documents.check(valid(1)).document).toBe(documents.check(valid(1)).document);
  expect(documents.remembered.documents).toBe(1);
});

test('documents with mistakes are not remembered', () => {
  const documents = new Documents(usualDocumentLimits);
  for (const source of ['{ run(', '{ nope }', `{ ${'viewer { '.repeat(20)}`]) {
    expect(documents.check(source).errors).toBeDefined();
    expect(documents.check(source).errors).toBeDefined();
  }
  expect(documents.remembered).toEqual({ documents: 0, characters: 0 });
});

test('500 documents are remembered at most, those that were used last', () => {
  const documents = new Documents(usualDocumentLimits);
  const first = documents.check(valid(0)).document;
  for (let n = 1; n < 500; n += 1) documents.check(valid(n));
  documents.check(valid(0));
  documents.check(valid(500));
  expect(documents.remembered.documents).toBe(500);
  expect(documents.check(valid(0)).document).toBe(first);
});

test('they have 500,000 characters together at most, and what is long takes the place of many', () => {
  const documents = new Documents(usualDocumentLimits);
  const long = Array.from({ length: 100 }, (_, n) => valid(n, 19_900));
  for (const source of long) documents.check(source);
  const { documents: count, characters } = documents.remembered;
  expect(characters).toBeLessThanOrEqual(500_000);
  expect(count).toBe(25);
  expect(long.slice(-25).reduce((sum, { length }) => sum + length, 0)).toBe(characters);
});

test('a document of more than 20,000 characters is read anew each time', () => {
  const documents = new Documents(usualDocumentLimits);
  documents.check(valid(1, 20_000));
  expect(documents.remembered.documents).toBe(0);
});

const refusal = (document: string): string | undefined =>
  new Documents(usualDocumentLimits).check(document).errors?.[0]?.message;

describe('fields of one name in one place', () => {
  test('may be as many as there are tokens, if they are the same', () => {
    expect(refusal(`{ ${'__typename '.repeat(4_990)} }`)).toBeUndefined();
    expect(refusal(`{ ${'run(id: "a") { id } '.repeat(490)} }`)).toBeUndefined();
    const spreads = Array.from({ length: 500 }, (_, n) => `...f${n}`).join(' ');
    const fragments = Array.from({ length: 500 }, (_, n) => `fragment f${n} on Query { __typename }`).join(' ');
    expect(refusal(`{ ${spreads} } ${fragments}`)).toBeUndefined();
  });

  test.each([
    ['{ a: viewer { name } a: apps { name } }', '"viewer" and "apps" are different fields'],
    ['{ run(id: "a") { id } run(id: "b") { id } }', 'they have differing arguments'],
    ['{ run(id: "a") { id } run(id: "a", waitMs: 1) { id } }', 'they have differing arguments'],
    [
      '{ viewer { x: name } ...f } fragment f on Query { viewer { ... { x: kind } } }',
      '"name" and "kind" are different',
    ],
    ['query ($x: ID!) { ...f run(id: $x) { id } } fragment f on Query { run(id: "x") { id } }', 'differing arguments'],
  ])('%s is refused', (document, reason) => {
    expect(refusal(document)).toContain(reason);
  });

  test.each([
    'query ($x: ID!) { run(waitMs: 1, id: $x) { id } run(id: $x, waitMs: 1) { status } }',
    '{ a: run(id: "a") { id } b: run(id: "b") { id } }',
    '{ viewer { x: name } apps { x: name } }',
  ])('%s is valid', (document) => {
    expect(refusal(document)).toBeUndefined();
  });

  test('have one type in all types of an interface, or conflict', () => {
    const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
    expect(abstract.length).toBeGreaterThan(0);
    const torn = abstract.flatMap((each) => tornFields(each.name));
    expect(torn.filter(({ of }) => of !== 'Node')).toEqual([]);
    expect(torn.length).toBeGreaterThan(0);
    for (const { name, types } of torn) {
      const [one, two] = types.map(([type, of]) => {
        const field = isLeafType(getNamedType(of)) ? name : `${name} { __typename }`;
        return `... on ${type} { ${field} }`;
      });
      expect(refusal(`{ node(id: "x") { ${one} ${two} } }`), name).toContain('conflicting types');
    }
  });

  test('of one name and type are valid in fragments on several types', () => {
    const document = '{ node(id: "x") { id ... on Run { id app createdAt } ... on Approval { id app } } }';
    expect(refusal(document)).toBeUndefined();
  });
});

interface Torn {
  of: string;
  name: string;
  /** Two types whose fields of this name differ. */
  types: [string, GraphQLOutputType][];
}

/** The fields that have one name and different types in the types of an interface. */
function tornFields(abstract: string): Torn[] {
  const type = schema.getType(abstract);
  const fields = new Map<string, Map<string, [string, GraphQLOutputType]>>();
  for (const each of isAbstractType(type) ? schema.getPossibleTypes(type) : []) {
    for (const { name, type: of } of Object.values(each.getFields())) {
      const types = fields.get(name) ?? new Map<string, [string, GraphQLOutputType]>();
      fields.set(name, types.set(String(of), [each.name, of]));
    }
  }
  return [...fields].flatMap(([name, types]) =>
    types.size > 1 ? [{ of: abstract, name, types: [...types.values()].slice(0, 2) }] : [],
  );
}

describe('errors', () => {
  test('suggest names of the schema unless that is turned off', () => {
    expect(refusal('{ viewerr { name } }')).toContain('Did you mean "viewer"?');
    const documents = new Documents({ ...usualDocumentLimits, hidesSuggestions: true });
    expect(documents.check('{ viewerr { name } }').errors?.[0]?.message).toBe(
      'Cannot query field "viewerr" on type "Query".',
    );
  });

  test('have positions in a short document only', () => {
    const [first] = new Documents(usualDocumentLimits).check('{ nope }').errors ?? [];
    expect(first?.locations).toEqual([{ line: 1, column: 3 }]);
    for (const long of [`{ ${'viewer { name } '.repeat(130)} nope }`, `${'\n'.repeat(201)} { nope }`]) {
      const [error] = new Documents(usualDocumentLimits).check(long).errors ?? [];
      expect(error).toMatchObject({ message: expect.stringContaining('"nope"'), locations: undefined });
    }
  });
});

describe('the check of a new document', () => {
  const caller = (name: string, isThere = true) => ({ name, isThere: () => isThere });
  /** Counts the checks in each turn of the event loop. */
  async function turnsOf(read: (documents: Documents, order: string[]) => Promise<unknown>[]): Promise<string[]> {
    const order: string[] = [];
    let isOver = false;
    const mark = (): void => {
      order.push('|');
      if (!isOver) setImmediate(mark);
    };
    setImmediate(mark);
    const all = Promise.allSettled(read(new Documents(usualDocumentLimits), order));
    await all;
    isOver = true;
    return order;
  }

  test('takes a turn of the event loop of its own, and callers take turns', async () => {
    const order = await turnsOf((documents, done) =>
      [1, 2, 3, 4].map(async (n) => {
        const who = n < 4 ? 'a' : 'b';
        await documents.read(valid(n), caller(who));
        done.push(`${who}${n}`);
      }),
    );
    const turns = order.join('').split('|').filter(Boolean);
    expect(turns).toEqual(['a1', 'a2', 'b4', 'a3']);
  });

  test('waits for no turn if the document is remembered', async () => {
    const documents = new Documents(usualDocumentLimits);
    documents.check(valid(1));
    const waiting = documents.read(valid(2), caller('a')).then(() => documents.read(valid(3), caller('a')));
    const order: number[] = [];
    await Promise.all([
      waiting.then(() => order.push(3)),
      documents.read(valid(1), caller('a')).then(() => order.push(1)),
    ]);
    expect(order).toEqual([1, 3]);
  });

  test('is dropped if its caller has gone, and refused if too many wait', async () => {
    const documents = new Documents(usualDocumentLimits);
    const reads = Array.from({ length: 202 }, (_, n) => documents.read(valid(n), caller('a', n !== 7)));
    const results = await Promise.allSettled(reads);
    const refused = results.flatMap((result, n) => (result.status === 'rejected' ? [[n, result.reason.kind]] : []));
    expect(refused).toEqual([
      [7, 'busy'],
      [201, 'busy'],
    ]);
    expect(documents.remembered.documents).toBe(200);
  });
});
