import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { inRestWords, wordsOf } from './restWords.ts';

/**
 * The selection of a document, resolved against the schema. Both the bodies of answers and their
 * OpenAPI schemas come from it, so they cannot disagree.
 */
export type Shape = ObjectShape | VariantsShape | ListShape | WordShape | ScalarShape;

interface Common {
  /** Whether the value may be absent: null in GraphQL. */
  optional: boolean;
  description: string | undefined;
}

export interface ObjectShape extends Common {
  kind: 'object';
  /**
   * The parts of the object: fragments, which become named schemas of OpenAPI, and the fields
   * beside them.
   */
  parts: readonly Part[];
  members: readonly Member[];
}

/** An interface: an object of one of its types. Documents select all of it by fragments. */
export interface VariantsShape extends Common {
  kind: 'variants';
  /** The interface's name. */
  name: string;
  /** The fields that all types have. */
  common: readonly Part[];
  /** The further fields of single types. An object has those of one at most. */
  variants: readonly Part[];
  /** The members of all parts. */
  members: readonly Member[];
}

export interface Part {
  /** The fragment's name; undefined for fields beside the fragments. */
  name: string | undefined;
  members: readonly Member[];
}

export interface Member {
  key: string;
  shape: Shape;
}

export interface ListShape extends Common {
  kind: 'list';
  of: Shape;
}

/** An enum: capitals in GraphQL, the contract's word in REST. */
export interface WordShape extends Common {
  kind: 'word';
  /** The enum's name. */
  name: string;
  words: ReadonlyMap<unknown, string>;
}

export interface ScalarShape extends Common {
  kind: 'scalar';
  scalar: string;
}

/**
 * Reads the shape of a document's answer from its operation. Throws if the schema lacks a field or
 * type.
 */
export function shapeOf(schema: GraphQLSchema, source: string): ObjectShape {
  const document = parse(source);
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) throw new Error('the document holds no operation of the schema');
  return objectShape({ schema, fragments: fragmentsOf(document) }, root, operation.selectionSet, present);
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** What the names in a document stand for. */
interface Named {
  schema: GraphQLSchema;
  fragments: Fragments;
}

type Fielded = GraphQLObjectType | GraphQLInterfaceType;

const present: Common = { optional: false, description: undefined };

const fragmentsOf = (document: DocumentNode): Fragments =>
  new Map(
    document.definitions
      .filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );

function objectShape(named: Named, type: Fielded, set: SelectionSetNode, common: Common): ObjectShape {
  const own: Member[] = [];
  const parts: Part[] = [];
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) own.push(memberOf(named, type, selection));
    else if (selection.kind === Kind.FRAGMENT_SPREAD) parts.push(partOf(named, type, selection.name.value));
    else throw new Error('documents of REST use named fragments only');
  }
  if (own.length > 0) parts.push({ name: undefined, members: own });
  return { kind: 'object', ...common, parts, members: parts.flatMap((part) => part.members) };
}

function partOf(named: Named, type: Fielded, name: string): Part {
  const fragment = named.fragments.get(name);
  if (fragment?.typeCondition.name.value !== type.name) throw new Error(`${name} is no fragment on ${type.name}`);
  return { name, members: objectShape(named, type, fragment.selectionSet, present).members };
}

function variantsShape(named: Named, type: GraphQLInterfaceType, set: SelectionSetNode, common: Common): VariantsShape {
  const parts = set.selections.map((selection) => {
    const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : '';
    const on = named.schema.getType(named.fragments.get(name)?.typeCondition.name.value ?? '');
    if (on === type) return { isCommon: true, part: partOf(named, type, name) };
    if (!isObjectType(on) || !on.getInterfaces().includes(type))
      throw new Error(`a document selects ${type.name} by fragments on it and on its types only`);
    return { isCommon: false, part: partOf(named, on, name) };
  });
  return {
    kind: 'variants',
    ...common,
    name: type.name,
    common: parts.flatMap(({ isCommon, part }) => (isCommon ? part : [])),
    variants: parts.flatMap(({ isCommon, part }) => (isCommon ? [] : part)),
    members: parts.flatMap(({ part }) => part.members),
  };
}

function memberOf(named: Named, type: Fielded, selection: FieldNode): Member {
  const field = type.getFields()[selection.name.value];
  if (!field) throw new Error(`${type.name} has no field ${selection.name.value}`);
  const { description } = field;
  const common = { optional: true, description: description ? inRestWords(named.schema, description) : undefined };
  // A variable may leave the field out.
  const isConditional = (selection.directives?.length ?? 0) > 0;
  const valueType = isConditional ? getNullableType(field.type) : field.type;
  return {
    key: selection.alias?.value ?? selection.name.value,
    shape: valueShape(named, valueType, selection.selectionSet, common),
  };
}

function valueShape(named: Named, type: GraphQLOutputType, set: SelectionSetNode | undefined, common: Common): Shape {
  if (isNonNullType(type)) return valueShape(named, type.ofType, set, { ...common, optional: false });
  if (isListType(type)) return { kind: 'list', ...common, of: valueShape(named, type.ofType, set, present) };
  if (isEnumType(type)) return { kind: 'word', ...common, name: type.name, words: wordsOf(type) };
  if (isObjectType(type) && set) return objectShape(named, type, set, common);
  if (isInterfaceType(type) && set) return variantsShape(named, type, set, common);
  return { kind: 'scalar', ...common, scalar: type.toString() };
}

type Converter = (value: unknown) => unknown;

/** Turns the contract's words in a document's variables into the names of its enums. */
export function variableConverter(
  schema: GraphQLSchema,
  source: string,
): (variables: Record<string, unknown>) => Record<string, unknown> {
  const operation = parse(source).definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const converters = new Map<string, Converter>();
  for (const { variable, type } of operation?.variableDefinitions ?? []) {
    const convert = converterOf(typeFromAST(schema, type));
    if (convert) converters.set(variable.name.value, convert);
  }
  return (variables) => convertMembers(converters, variables);
}

/** Undefined for a type that holds no enum. */
function converterOf(type: GraphQLType | undefined): Converter | undefined {
  if (isNonNullType(type)) return converterOf(type.ofType);
  if (isListType(type)) {
    const convert = converterOf(type.ofType);
    return convert && ((value) => (Array.isArray(value) ? value.map(convert) : convert(value)));
  }
  if (isEnumType(type)) {
    const names = new Map([...wordsOf(type)].map(([name, word]) => [word, name]));
    return (value) => (typeof value === 'string' ? (names.get(value) ?? value) : value);
  }
  if (!isInputObjectType(type)) return undefined;
  const members = Object.entries(type.getFields()).flatMap(([name, field]) => {
    const convert = converterOf(field.type);
    return convert ? [[name, convert] as const] : [];
  });
  if (members.length === 0) return undefined;
  return (value) => (typeof value === 'object' && value !== null ? convertMembers(new Map(members), value) : value);
}

const convertMembers = (converters: ReadonlyMap<string, Converter>, value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, converters.get(name)?.(each) ?? each]));
