import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { approvalTexts } from './approvals.ts';
import { controlTexts } from './controls.ts';
import { eventTexts } from './events.ts';
import { pageTexts } from './pages.ts';
import { projectTexts } from './projects.ts';
import { queryTexts } from './queries.ts';
import { runTexts } from './runs.ts';
import { statusTexts } from './statuses.ts';
import type { Texts } from './texts.ts';
import { waitTexts } from './waits.ts';
import { webhookSourceTexts } from './webhookSources.ts';
import { webhookTexts } from './webhooks.ts';
import { workflowTexts } from './workflows.ts';

/** The descriptions that the declarations of the resources do not have. */
const allTexts: readonly Texts[] = [
  approvalTexts,
  controlTexts,
  eventTexts,
  pageTexts,
  projectTexts,
  queryTexts,
  runTexts,
  statusTexts,
  waitTexts,
  webhookSourceTexts,
  webhookTexts,
  workflowTexts,
];

interface Describable {
  description?: string | null | undefined;
}

/**
 * Gives names of the schema their descriptions. Changes the given schema. Throws if a text belongs
 * to no name, or its name has a description.
 */
export function described(schema: GraphQLSchema): GraphQLSchema {
  for (const texts of allTexts) {
    for (const [typeName, byName] of Object.entries(texts)) {
      const type = schema.getType(typeName);
      if (!type) throw new Error(`a description of ${typeName}, which the schema lacks`);
      const names = namesOf(type);
      for (const [name, text] of Object.entries(byName)) describe(names.get(name), text, `${typeName}.${name}`);
    }
  }
  inheritAll(schema);
  return schema;
}

function describe(named: Describable | undefined, text: string, path: string): void {
  if (!named) throw new Error(`a description of ${path}, which the schema lacks`);
  if (named.description) throw new Error(`two descriptions of ${path}`);
  named.description = text;
}

/** All that a type declares, by the names in `TypeTexts`. */
function namesOf(type: GraphQLNamedType): Map<string, Describable> {
  const names = new Map<string, Describable>([['_', type]]);
  if (isEnumType(type)) for (const value of type.getValues()) names.set(value.name, value);
  if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) names.set(field.name, field);
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      names.set(field.name, field);
      for (const argument of field.args) names.set(`${field.name}(${argument.name})`, argument);
    }
  }
  return names;
}

/** A field of an interface is described once, for all types that have it. */
function inheritAll(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields()))
      for (const parent of type.getInterfaces()) field.description ??= parent.getFields()[field.name]?.description;
  }
}
