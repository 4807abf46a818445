import {
  type FieldNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

// What a document selects below a field that is being resolved.

/**
 * The names of the fields that a document selects below the resolved field, at a path of field
 * names from there. Fields that `@skip` or `@include` leaves out do not count.
 */
export function selectedFields(info: GraphQLResolveInfo, path: readonly string[] = []): ReadonlySet<string> {
  let nodes: readonly FieldNode[] = info.fieldNodes;
  for (const name of path) nodes = named(fieldsOf(nodes, info), name);
  return new Set(fieldsOf(nodes, info).map((field) => field.name.value));
}

/** The arguments of each selection of a field below the resolved field, by the type that has it. */
export function selectedArguments(
  info: GraphQLResolveInfo,
  type: GraphQLObjectType,
  name: string,
): Record<string, unknown>[] {
  const definition = type.getFields()[name];
  if (!definition) return [];
  return named(fieldsOf(info.fieldNodes, info), name).map((field) =>
    getArgumentValues(definition, field, info.variableValues),
  );
}

/**
 * The columns that a document selects of the rows of a connection. A `Payload`, such as
 * `inputPayload`, needs its column only for its whole text.
 */
export function selectedColumns(info: GraphQLResolveInfo): ReadonlySet<string> {
  const inside = fieldsOf(info.fieldNodes, info);
  const nodes = [...named(inside, 'nodes'), ...named(fieldsOf(named(inside, 'edges'), info), 'node')];
  const columns = new Set<string>();
  for (const field of fieldsOf(nodes, info)) {
    const name = field.name.value;
    const hasText = named(fieldsOf([field], info), 'text').length > 0;
    columns.add(hasText ? name.replace(/Payload$/, '') : name);
  }
  return columns;
}

const named = (fields: readonly FieldNode[], name: string): FieldNode[] =>
  fields.filter((field) => field.name.value === name);

const fieldsOf = (nodes: readonly FieldNode[], info: GraphQLResolveInfo): FieldNode[] =>
  nodes.flatMap(({ selectionSet }) => (selectionSet ? fieldsOfSet(selectionSet, info) : []));

const fieldsOfSet = ({ selections }: SelectionSetNode, info: GraphQLResolveInfo): FieldNode[] =>
  selections.flatMap((selection) => {
    if (!isIncluded(selection, info)) return [];
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOfSet(selection.selectionSet, info);
    const fragment = info.fragments[selection.name.value];
    return fragment ? fieldsOfSet(fragment.selectionSet, info) : [];
  });

function isIncluded(selection: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean {
  if (!selection.directives?.length) return true;
  const condition = (directive: GraphQLDirective): unknown =>
    getDirectiveValues(directive, selection, variableValues)?.['if'];
  return condition(GraphQLSkipDirective) !== true && condition(GraphQLIncludeDirective) !== false;
}
