import { buildSchema, GraphQLEnumType, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import { RawJson, stringifyRaw } from '../../src/engine/json/index.ts';
import { Schemas } from '../../src/rest/declare/openApiSchemas.ts';
import { present, shapeAt, valueAt } from '../../src/rest/declare/present.ts';
import { shapeOf, variableConverter } from '../../src/rest/declare/shape.ts';

const kind = new GraphQLEnumType({ name: 'Kind', values: { RUN_FAILED: { value: 'run.failed' }, PLAIN: {} } });
const thing = new GraphQLObjectType({
  name: 'Thing',
  fields: { id: { type: new GraphQLNonNull(GraphQLString) }, kind: { type: kind }, payload: { type: GraphQLString } },
});
const query = new GraphQLObjectType({ name: 'Query', fields: { thing: { type: thing } } });
const schema = new GraphQLSchema({ query });

const document = 'query A { thing { ...Named label: payload } } fragment Named on Thing { id kind payload }';
const shape = shapeAt(shapeOf(schema, document), ['thing']);

test('null is absent, a payload that is null is there, and what was not selected does not show', () => {
  const shown = present(shape, { id: 'a', kind: null, payload: RawJson.of(null), label: null, other: 1 });
  expect(stringifyRaw(shown)).toBe('{"id":"a","payload":null}');
});

test('an enum is shown by the contract’s word: the value behind its name, or the name in small letters', () => {
  expect(present(shape, { kind: 'RUN_FAILED' })).toEqual({ kind: 'run.failed' });
  expect(present(shape, { kind: 'PLAIN' })).toEqual({ kind: 'plain' });
});

test('a missing object on the path to a value is no value', () => {
  expect(valueAt({ thing: null }, ['thing', 'id'])).toBeUndefined();
  expect(valueAt(undefined, ['thing'])).toBeUndefined();
});

test('a fragment becomes a named schema of OpenAPI; fields beside it are added', () => {
  const schemas = new Schemas();
  expect(schemas.of(shape)).toEqual({
    allOf: [{ $ref: '#/components/schemas/Named' }, { type: 'object', properties: { label: { type: 'string' } } }],
  });
  expect(schemas.named['Named']).toMatchObject({
    required: ['id'],
    properties: { kind: { $ref: '#/components/schemas/Kind' } },
  });
  expect(schemas.named['Kind']).toEqual({ type: 'string', enum: ['run.failed', 'plain'] });
});

test('a name that two different schemas share throws', () => {
  const schemas = new Schemas();
  schemas.of(shape);
  const other = 'query B { thing { ...Named } } fragment Named on Thing { id }';
  expect(() => schemas.of(shapeOf(schema, other))).toThrow('two schemas are named Named');
});

test('a path that the document does not select is a mistake', () => {
  expect(() => shapeAt(shape, ['missing'])).toThrow('selects no missing');
});

test('words in variables become the names of enums, also in inputs; all else stays as it is', () => {
  const schema = buildSchema(`
    enum Kind { RUN_FAILED PLAIN }
    input Inner { kind: Kind! }
    input Filter { kind: Kind, name: String, inner: Inner }
    type Query { things(kind: Kind!, filter: Filter, name: String): Int }`);
  const convert = variableConverter(
    schema,
    'query ($kind: Kind!, $filter: Filter, $name: String) { things(kind: $kind, filter: $filter, name: $name) }',
  );
  expect(convert({ kind: 'plain', name: 'plain' })).toEqual({ kind: 'PLAIN', name: 'plain' });
  expect(convert({ filter: { kind: 'run_failed', name: 'plain', inner: { kind: 'plain' } } })).toEqual({
    filter: { kind: 'RUN_FAILED', name: 'plain', inner: { kind: 'PLAIN' } },
  });
  expect(convert({ kind: undefined, filter: null, name: 'x' })).toEqual({ kind: undefined, filter: null, name: 'x' });
  expect(convert({ kind: 'no word' })).toEqual({ kind: 'no word' });
});

test('an interface is selected by fragments; an object shows the fields of its own type', () => {
  const schema = buildSchema(`
    interface Cause { kind: String! }
    type Sleep implements Cause { kind: String! }
    type Pause implements Cause { kind: String!, actor: String }
    type Query { causes: [Cause!]! }`);
  const fragments = 'fragment Base on Cause { kind } fragment Pause on Pause { actor }';
  const shape = shapeAt(shapeOf(schema, `query A { causes { ...Base ...Pause } } ${fragments}`), ['causes']);
  expect(present(shape, [{ kind: 'pause', actor: 'ann' }, { kind: 'sleep' }])).toEqual([
    { kind: 'pause', actor: 'ann' },
    { kind: 'sleep' },
  ]);
  const schemas = new Schemas();
  expect(schemas.of(shape)).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Cause' } });
  expect(schemas.named['Cause']).toEqual({
    allOf: [
      { $ref: '#/components/schemas/Base' },
      { anyOf: [{ $ref: '#/components/schemas/Pause' }, { type: 'object' }] },
    ],
  });
  const other = 'query B { causes { kind } }';
  expect(() => shapeOf(schema, other)).toThrow('by fragments on it and on its types only');
});
