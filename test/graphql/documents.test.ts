import { expect, test } from 'vitest';
import { Documents } from '../../src/graphql/index.ts';
import { usualDocumentLimits } from '../support/settings.ts';

/** A document of its own, about as long as said. */
const valid = (n: number, length = 30): string => `query q${n} { viewer { name } } #${'x'.repeat(length)}`;

test('a document that was read is remembered', () => {
  const documents = new Documents(usualDocumentLimits);
  expect(documents.read(valid(1)).document).toBe(documents.read(valid(1)).document);
  expect(documents.remembered.documents).toBe(1);
});

test('documents with mistakes are not remembered', () => {
  const documents = new Documents(usualDocumentLimits);
  for (const source of ['{ run(', '{ nope }', `{ ${'viewer { '.repeat(20)}`]) {
    expect(documents.read(source).errors).toBeDefined();
    expect(documents.read(source).errors).toBeDefined();
  }
  expect(documents.remembered).toEqual({ documents: 0, characters: 0 });
});

test('500 documents are remembered at most, those that were used last', () => {
  const documents = new Documents(usualDocumentLimits);
  const first = documents.read(valid(0)).document;
  for (let n = 1; n < 500; n += 1) documents.read(valid(n));
  documents.read(valid(0));
  documents.read(valid(500));
  expect(documents.remembered.documents).toBe(500);
  expect(documents.read(valid(0)).document).toBe(first);
});

test('they have 500,000 characters together at most, and what is long takes the place of many', () => {
  const documents = new Documents(usualDocumentLimits);
  const long = Array.from({ length: 100 }, (_, n) => valid(n, 19_900));
  for (const source of long) documents.read(source);
  const { documents: count, characters } = documents.remembered;
  expect(characters).toBeLessThanOrEqual(500_000);
  expect(count).toBe(25);
  expect(long.slice(-25).reduce((sum, { length }) => sum + length, 0)).toBe(characters);
});

test('a document of more than 20,000 characters is read anew each time', () => {
  const documents = new Documents(usualDocumentLimits);
  documents.read(valid(1, 20_000));
  expect(documents.remembered.documents).toBe(0);
});
