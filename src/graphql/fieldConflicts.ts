import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  print,
  type SelectionSetNode,
} from 'graphql';

/**
 * Two fields of one place with the same name in the answer, but with different values. Call it for
 * documents within their limits that are otherwise valid.
 *
 * It replaces `OverlappingFieldsCanBeMergedRule`, which compares fields and fragments in pairs: up
 * to 100 ms for one document. In the schema, fields of one name have one type in all types of one
 * interface. So each field of a place is compared with the first only. That refuses a little more
 * than GraphQL does: one alias for different fields of two types of an interface.
 */
export function findConflict(document: DocumentNode): GraphQLError | undefined {
  const search = new ConflictSearch(document);
  for (const definition of document.definitions) {
    const found = definition.kind === Kind.OPERATION_DEFINITION && search.conflictIn([definition.selectionSet]);
    if (found) return found;
  }
  return undefined;
}

class ConflictSearch {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #texts = new Map<FieldNode, string>();

  constructor({ definitions }: DocumentNode) {
    for (const each of definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(each.name.value, each);
    }
  }

  /** The selections together are the fields of one object. */
  conflictIn(selections: readonly SelectionSetNode[]): GraphQLError | undefined {
    const byName = new Map<string, Set<FieldNode>>();
    const seen = new Set<SelectionSetNode>();
    for (const each of selections) this.#collect(each, byName, seen);
    for (const [name, fields] of byName) {
      const found = this.#conflictOf(name, [...fields]);
      if (found) return found;
    }
    return undefined;
  }

  #collect(set: SelectionSetNode, byName: Map<string, Set<FieldNode>>, seen: Set<SelectionSetNode>): void {
    if (seen.has(set)) return;
    seen.add(set);
    for (const each of set.selections) {
      if (each.kind === Kind.FIELD) {
        const name = (each.alias ?? each.name).value;
        byName.set(name, (byName.get(name) ?? new Set()).add(each));
        continue;
      }
      const inner =
        each.kind === Kind.INLINE_FRAGMENT ? each.selectionSet : this.#fragments.get(each.name.value)?.selectionSet;
      if (inner) this.#collect(inner, byName, seen);
    }
  }

  #conflictOf(name: string, [first, ...others]: readonly FieldNode[]): GraphQLError | undefined {
    if (!first) return undefined;
    for (const other of others) {
      const reason = this.#differenceOf(first, other);
      if (!reason) continue;
      const advice = 'Use different aliases on the fields to fetch both if this was intentional.';
      return new GraphQLError(`Fields "${name}" conflict because ${reason}. ${advice}`, { nodes: [first, other] });
    }
    return this.conflictIn([first, ...others].flatMap(({ selectionSet }) => selectionSet ?? []));
  }

  #differenceOf(first: FieldNode, other: FieldNode): string | undefined {
    const [one, two] = [first.name.value, other.name.value];
    if (one !== two) return `"${one}" and "${two}" are different fields`;
    return this.#argumentsOf(first) === this.#argumentsOf(other) ? undefined : 'they have differing arguments';
  }

  /** The order of arguments does not count. */
  #argumentsOf(field: FieldNode): string {
    if (!field.arguments || field.arguments.length === 0) return '';
    const known = this.#texts.get(field);
    if (known !== undefined) return known;
    const text = field.arguments.map(print).sort().join(', ');
    this.#texts.set(field, text);
    return text;
  }
}
