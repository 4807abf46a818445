import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';

interface Named {
  path: string;
  name: string;
  text: string | null | undefined;
}

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const names = types.flatMap(namesOf);

function namesOf(type: GraphQLNamedType): Named[] {
  const found: Named[] = [{ path: type.name, name: type.name, text: type.description }];
  const add = (
    path: string,
    { name, description }: { name: string; description?: string | null | undefined },
  ): void => {
    found.push({ path: `${type.name}.${path}`, name, text: description });
  };
  if (isEnumType(type)) for (const value of type.getValues()) add(value.name, value);
  if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) add(field.name, field);
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      add(field.name, field);
      for (const argument of field.args) add(`${field.name}(${argument.name})`, argument);
    }
  }
  return found;
}

const pathsWhere = (isBad: (text: string, named: Named) => boolean): string[] =>
  names.filter((named) => isBad(named.text ?? '', named)).map(({ path, text }) => `${path}: ${text}`);

test('every type, field, argument, enum value and input has a description', () => {
  expect(names.length).toBeGreaterThan(1000);
  expect(pathsWhere((text) => text.trim() === '')).toEqual([]);
});

test('a description is made of sentences of at most 22 words, which begin with a noun', () => {
  const sentencesOf = (text: string): string[] => text.split(/(?<=[.;:])\s+/);
  expect(pathsWhere((text) => sentencesOf(text).some((each) => each.split(/\s+/).length > 22))).toEqual([]);
  expect(
    pathsWhere((text) => sentencesOf(text).some((each) => /^(What|Whoever|Of|Where|Nothing)\b/.test(each))),
  ).toEqual([]);
  expect(pathsWhere((text) => !/^[^a-z].*\.$/s.test(text))).toEqual([]);
});

/** The words of a name or a text, without those that say nothing. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '' && !['a', 'an', 'the', 'of', 'its', 'this', 'is', 'in', 'by'].includes(word));

test('a description says more than the name of its type and its own', () => {
  const isPadding = (text: string, { path }: Named): boolean => {
    const known = new Set(wordsOf(path));
    return wordsOf(text).every((word) => known.has(word) || known.has(word.replace(/s$/, '')));
  };
  expect(pathsWhere(isPadding)).toEqual([]);
});
