import {
  type GraphQLInputType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { JsonDocument, PathSegment } from '../engine/json/index.ts';
import { schema } from '../schema/index.ts';

/** The place of the variables in the text of a caller. */
export interface SentVariables {
  json: JsonDocument;
  path: readonly PathSegment[];
}

/**
 * The variables of an operation. Values of type `JSON` keep their text, because JavaScript cannot
 * represent all numbers.
 */
export function keepPayloads(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  sent: SentVariables,
): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...variables };
  for (const { variable, type: node } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (!isInputType(type) || !Object.hasOwn(variables, name)) continue;
    kept[name] = keepIn(type, variables[name], { json: sent.json, path: [...sent.path, name] });
  }
  return kept;
}

function keepIn(type: GraphQLInputType, value: unknown, at: SentVariables): unknown {
  if (value === null || value === undefined) return value;
  if (isNonNullType(type)) return keepIn(type.ofType, value, at);
  if (isListType(type)) {
    if (!Array.isArray(value)) return keepIn(type.ofType, value, at);
    return value.map((each, index) => keepIn(type.ofType, each, { json: at.json, path: [...at.path, index] }));
  }
  if (isInputObjectType(type)) {
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    const kept: Record<string, unknown> = { ...value };
    for (const [name, field] of Object.entries(type.getFields())) {
      if (!Object.hasOwn(value, name)) continue;
      kept[name] = keepIn(field.type, kept[name], { json: at.json, path: [...at.path, name] });
    }
    return kept;
  }
  return type.name === 'JSON' ? (at.json.raw(...at.path) ?? value) : value;
}
