import {
  defaultFieldResolver,
  type ExecutionResult,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { RawJson } from '../../engine/json/index.ts';
import type { SchemaContext } from './context.ts';

type Resolver = GraphQLFieldResolver<unknown, SchemaContext>;

/** Shows the values of all fields to the meter of their operation. Changes the given schema. */
export function metered(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {}))
    field.resolve = mutationResolver(field);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type) && !isIntrospectionType(type)) meterFields(type);
  }
  return schema;
}

function meterFields(type: GraphQLObjectType<unknown, SchemaContext>): void {
  for (const field of Object.values(type.getFields())) field.resolve = meteredResolver(field);
}

function mutationResolver(field: GraphQLField<unknown, SchemaContext>): Resolver {
  const resolve: Resolver = field.resolve ?? defaultFieldResolver;
  return (source, args, context, info) =>
    context.meter.carryOut(String(info.path.key), () => resolve(source, args, context, info));
}

function meteredResolver(field: GraphQLField<unknown, SchemaContext>): Resolver {
  const resolve: Resolver = field.resolve ?? defaultFieldResolver;
  const type = getNullableType(field.type);
  if (isListType(type) || isCompositeType(type)) return structureResolver(resolve);
  return holdsText(type) ? textResolver(resolve) : resolve;
}

/** Scalars that may hold long texts. */
const holdsText = (type: GraphQLOutputType): boolean => ['String', 'JSON'].includes(type.toString());

/**
 * Counts an object, or the elements of a list. Their fields are resolved at the operation's turn.
 */
const structureResolver =
  (resolve: Resolver): Resolver =>
  (source, args, context, info) => {
    const { meter } = context;
    if (meter.isRefused) return meter.stop();
    return whenThere(resolve(source, args, context, info), (value) => {
      if (Array.isArray(value)) meter.count(value.length);
      else if (value !== null && value !== undefined) meter.count(1);
      if (meter.isRefused) return meter.stop();
      const wait = meter.turn();
      return wait ? wait.then(() => value) : value;
    });
  };

const textResolver =
  (resolve: Resolver): Resolver =>
  (source, args, context, info) => {
    const { meter } = context;
    if (meter.isRefused) return meter.stop();
    return whenThere(resolve(source, args, context, info), (value) => {
      if (typeof value === 'string') meter.write(value.length);
      else if (value instanceof RawJson) meter.write(value.text.length);
      return meter.isRefused ? meter.stop() : value;
    });
  };

/** Makes no promise of a plain value: most fields have one. */
export const whenThere = <Value, Result>(
  value: Value | Promise<Value>,
  then: (value: Value) => Result,
): Result | Promise<Result> => (value instanceof Promise ? value.then(then) : then(value));

/** The result of an operation; if it broke a limit, its refusal without any data. */
export function unlessRefused({ meter: { refusal } }: SchemaContext, result: ExecutionResult): ExecutionResult {
  if (!refusal) return result;
  return { data: null, errors: [new GraphQLError(refusal.message, { originalError: refusal })] };
}
