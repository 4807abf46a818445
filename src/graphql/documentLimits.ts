import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

interface Size {
  /** Levels of fields. */
  depth: number;
  aliases: number;
  /** Fields, with every fragment expanded. */
  nodes: number;
}

/** Limits of one document. A fragment counts at each spread. */
export interface DocumentLimits extends Size {
  /** Levels of lists and objects in a literal value. */
  jsonDepth: number;
}

const nothing: Size = { depth: 0, aliases: 0, nodes: 0 };

/** The limit that a document breaks, if any. Takes time in proportion to its text, unexpanded. */
export function brokenLimit(document: DocumentNode, limits: DocumentLimits): GraphQLError | undefined {
  const sizer = new Sizer(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = sizer.sizeOf(definition.selectionSet);
    for (const name of ['depth', 'aliases', 'nodes'] as const) {
      if (size[name] > limits[name]) return new GraphQLError(messages[name](limits[name]));
    }
  }
  const isTooDeep = jsonDepthOf(document) > limits.jsonDepth;
  return isTooDeep ? new GraphQLError(`JSON is nested deeper than ${limits.jsonDepth} levels`) : undefined;
}

const messages: Readonly<Record<keyof Size, (limit: number) => string>> = {
  depth: (limit) => `the document is nested deeper than ${limit} levels`,
  aliases: (limit) => `the document has more than ${limit} aliases`,
  nodes: (limit) => `the document has more than ${limit} nodes`,
};

function jsonDepthOf(document: DocumentNode): number {
  let deepest = 0;
  let depth = 0;
  const enter = (): void => {
    depth += 1;
    deepest = Math.max(deepest, depth);
  };
  const leave = (): void => {
    depth -= 1;
  };
  visit(document, { ListValue: { enter, leave }, ObjectValue: { enter, leave } });
  return deepest;
}

class Sizer {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #sizes = new Map<string, Size>();

  constructor({ definitions }: DocumentNode) {
    for (const each of definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(each.name.value, each);
    }
  }

  sizeOf({ selections }: SelectionSetNode): Size {
    return selections.map((each) => this.#sizeOfSelection(each)).reduce(beside, nothing);
  }

  #sizeOfSelection(selection: SelectionNode): Size {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#sizeOfFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.sizeOf(selection.selectionSet);
    const inside = selection.selectionSet ? this.sizeOf(selection.selectionSet) : nothing;
    // Tools read the schema by one deep query. GraphQL itself limits its recursion.
    const isIntrospection = selection.name.value.startsWith('__');
    return {
      depth: isIntrospection ? 1 : inside.depth + 1,
      aliases: inside.aliases + (selection.alias ? 1 : 0),
      nodes: inside.nodes + 1,
    };
  }

  #sizeOfFragment(name: string): Size {
    const known = this.#sizes.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    if (!fragment) return nothing;
    // A fragment inside itself counts nothing: validation refuses the cycle.
    this.#sizes.set(name, nothing);
    const size = this.sizeOf(fragment.selectionSet);
    this.#sizes.set(name, size);
    return size;
  }
}

const beside = (one: Size, other: Size): Size => ({
  depth: Math.max(one.depth, other.depth),
  aliases: one.aliases + other.aliases,
  nodes: one.nodes + other.nodes,
});
