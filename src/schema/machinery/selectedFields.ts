import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

type Fragments = GraphQLResolveInfo['fragments'];

/** The names of the fields that a document selects below the field that is resolved, at a path of field names from there. */
export function selectedFields(
  { fieldNodes, fragments }: GraphQLResolveInfo,
  path: readonly string[] = [],
): ReadonlySet<string> {
  let nodes: readonly FieldNode[] = fieldNodes;
  for (const name of path) nodes = fieldsOf(nodes, fragments).filter((field) => field.name.value === name);
  return new Set(fieldsOf(nodes, fragments).map((field) => field.name.value));
}

/** What a document selects of the rows of a connection. */
export const selectedOfNodes = (info: GraphQLResolveInfo): ReadonlySet<string> =>
  new Set([...selectedFields(info, ['nodes']), ...selectedFields(info, ['edges', 'node'])]);

const fieldsOf = (nodes: readonly FieldNode[], fragments: Fragments): FieldNode[] =>
  nodes.flatMap(({ selectionSet }) => (selectionSet ? fieldsOfSet(selectionSet, fragments) : []));

const fieldsOfSet = ({ selections }: SelectionSetNode, fragments: Fragments): FieldNode[] =>
  selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOfSet(selection.selectionSet, fragments);
    const fragment = fragments[selection.name.value];
    return fragment ? fieldsOfSet(fragment.selectionSet, fragments) : [];
  });
