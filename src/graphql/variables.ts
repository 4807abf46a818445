import {
  type GraphQLInputType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { invalid } from '../engine/errors.ts';
import type { JsonDocument, PathSegment } from '../engine/json/index.ts';
import { schema } from '../schema/index.ts';

/**
 * Elements of all lists in the variables, those inside of `JSON` not counted. GraphQL.js reads each
 * element for itself, a hundred times slower than JSON.
 */
const maxElements = 10_000;

/** The place of the variables in the text of a caller. */
export interface SentVariables {
  json: JsonDocument;
  path: readonly PathSegment[];
}

const advice = ': send a long list as one value of type JSON';

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
  const budget = { elements: maxElements };
  for (const { variable, type: node } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (!isInputType(type) || !Object.hasOwn(variables, name)) continue;
    kept[name] = keepIn(type, variables[name], { ...sent, path: [...sent.path, name], budget });
  }
  return kept;
}

interface Place extends SentVariables {
  /** List elements that may still be read. */
  budget: { elements: number };
}

function keepIn(type: GraphQLInputType, value: unknown, at: Place): unknown {
  if (value === null || value === undefined) return value;
  if (isNonNullType(type)) return keepIn(type.ofType, value, at);
  if (isListType(type)) {
    if (!Array.isArray(value)) return keepIn(type.ofType, value, at);
    at.budget.elements -= value.length;
    if (at.budget.elements < 0) throw invalid(`the variables hold more than ${maxElements} list elements${advice}`);
    return value.map((each, index) => keepIn(type.ofType, each, { ...at, path: [...at.path, index] }));
  }
  if (isInputObjectType(type)) {
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    const kept: Record<string, unknown> = { ...value };
    for (const [name, field] of Object.entries(type.getFields())) {
      if (!Object.hasOwn(value, name)) continue;
      kept[name] = keepIn(field.type, kept[name], { ...at, path: [...at.path, name] });
    }
    return kept;
  }
  return type.name === 'JSON' ? (at.json.raw(...at.path) ?? value) : value;
}
