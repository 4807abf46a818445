import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
} from 'graphql';
import { schema } from '../schema/index.ts';

/**
 * Two fields of one place with the same name in the answer, but with different values. Call it for
 * documents within their limits that are otherwise valid.
 *
 * It replaces `OverlappingFieldsCanBeMergedRule`, which compares fields and fragments in pairs: up
 * to 100 ms for one document. Here each field of a place is compared with the first only, whatever
 * types of an interface they belong to. That refuses a little more than GraphQL does: one alias for
 * different fields of two types of an interface, or for objects of different types.
 */
export function findConflict(document: DocumentNode): GraphQLError | undefined {
  const search = new ConflictSearch(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = schema.getRootType(definition.operation);
    const found = search.conflictIn([{ set: definition.selectionSet, type: root ?? undefined }]);
    if (found) return found;
  }
  return undefined;
}

/** A selection with the type of its object. */
interface TypedSet {
  set: SelectionSetNode;
  type: GraphQLNamedType | undefined;
}

/** A field with the type of its value. */
interface TypedField {
  node: FieldNode;
  of: GraphQLOutputType | undefined;
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
  conflictIn(selections: readonly TypedSet[]): GraphQLError | undefined {
    const byName = new Map<string, TypedField[]>();
    const seen = new Set<SelectionSetNode>();
    for (const each of selections) this.#collect(each, byName, seen);
    for (const [name, fields] of byName) {
      const found = this.#conflictOf(name, fields);
      if (found) return found;
    }
    return undefined;
  }

  #collect({ set, type }: TypedSet, byName: Map<string, TypedField[]>, seen: Set<SelectionSetNode>): void {
    if (seen.has(set)) return;
    seen.add(set);
    for (const each of set.selections) {
      if (each.kind === Kind.FIELD) {
        const name = (each.alias ?? each.name).value;
        const fields = byName.get(name) ?? [];
        fields.push({ node: each, of: typeOf(type, each.name.value) });
        byName.set(name, fields);
        continue;
      }
      const inner = each.kind === Kind.INLINE_FRAGMENT ? each : this.#fragments.get(each.name.value);
      if (!inner) continue;
      const condition = inner.typeCondition?.name.value;
      const innerType = condition === undefined ? type : schema.getType(condition);
      this.#collect({ set: inner.selectionSet, type: innerType }, byName, seen);
    }
  }

  #conflictOf(name: string, [first, ...others]: readonly TypedField[]): GraphQLError | undefined {
    if (!first) return undefined;
    for (const other of others) {
      const reason = this.#differenceOf(first, other);
      if (!reason) continue;
      const advice = 'Use different aliases on the fields to fetch both if this was intentional.';
      const nodes = [first.node, other.node];
      return new GraphQLError(`Fields "${name}" conflict because ${reason}. ${advice}`, { nodes });
    }
    const type = first.of && getNamedType(first.of);
    return this.conflictIn(
      [first, ...others].flatMap(({ node: { selectionSet: set } }) => (set ? [{ set, type }] : [])),
    );
  }

  #differenceOf({ node: first, of }: TypedField, { node: other, of: otherOf }: TypedField): string | undefined {
    const [one, two] = [first.name.value, other.name.value];
    if (one !== two) return `"${one}" and "${two}" are different fields`;
    if (of !== otherOf && String(of) !== String(otherOf)) {
      return `they return conflicting types "${of}" and "${otherOf}"`;
    }
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

/** The type of a field; undefined for `__typename`, which all objects have. */
const typeOf = (type: GraphQLNamedType | undefined, name: string): GraphQLOutputType | undefined =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name]?.type : undefined;
