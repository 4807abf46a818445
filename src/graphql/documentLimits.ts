import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type NameNode,
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
  /** Fragments, with those inside of them. */
  spreads: number;
}

/** Limits of one document. A fragment counts at each spread. */
export interface DocumentLimits extends Omit<Size, 'spreads'> {
  tokens: number;
  /** Levels of lists and objects in a literal value. */
  jsonDepth: number;
}

/** Line breaks and escapes cost more than other characters, and count as no token. */
const maxBreaks = 50_000;
/** Validation follows them in each operation. */
const maxSpreads = 10_000;
/** A name may be an alias, which the answer repeats for each row. */
const maxNameLength = 256;

const nothing: Size = { depth: 0, aliases: 0, nodes: 0, spreads: 0 };

/** Whether a text has too many line breaks and escapes to be read. Stops at the limit. */
export function brokenText(source: string): string | undefined {
  return breaksOf(source, maxBreaks) > maxBreaks
    ? `the document has more than ${maxBreaks} line breaks and escapes`
    : undefined;
}

/** The line breaks and escapes of a text; counts no further than one beyond the limit. */
export function breaksOf(source: string, limit: number): number {
  let breaks = 0;
  for (let at = 0; at < source.length && breaks <= limit; at += 1) {
    const code = source.charCodeAt(at);
    if (code === lineFeed || code === carriageReturn || code === backslash) breaks += 1;
  }
  return breaks;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const backslash = 0x5c;

/** The limit that a document breaks, if any. Takes time in proportion to its text, unexpanded. */
export function brokenLimit(document: DocumentNode, limits: DocumentLimits): string | undefined {
  const sizer = new Sizer(document);
  const ceilings = { ...limits, spreads: maxSpreads };
  let all = nothing;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = sizer.sizeOf(definition.selectionSet);
    all = { ...beside(all, size), aliases: Math.max(all.aliases, size.aliases) };
    for (const name of ['depth', 'aliases', 'nodes', 'spreads'] as const) {
      if (all[name] > ceilings[name]) return messages[name](ceilings[name]);
    }
  }
  return brokenByValues(document, limits);
}

const messages: Readonly<Record<keyof Size, (limit: number) => string>> = {
  depth: (limit) => `the document is nested deeper than ${limit} levels`,
  aliases: (limit) => `the document has more than ${limit} aliases`,
  nodes: (limit) => `the document has more than ${limit} nodes`,
  spreads: (limit) => `the operations of the document spread more than ${limit} fragments`,
};

function brokenByValues(document: DocumentNode, { jsonDepth }: DocumentLimits): string | undefined {
  let deepest = 0;
  let depth = 0;
  let longest = 0;
  const enter = (): void => {
    depth += 1;
    deepest = Math.max(deepest, depth);
  };
  const leave = (): void => {
    depth -= 1;
  };
  const Name = ({ value }: NameNode): void => {
    longest = Math.max(longest, value.length);
  };
  visit(document, { ListValue: { enter, leave }, ObjectValue: { enter, leave }, Name });
  if (deepest > jsonDepth) return `JSON is nested deeper than ${jsonDepth} levels`;
  return longest > maxNameLength ? `a name in the document has more than ${maxNameLength} characters` : undefined;
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
      spreads: inside.spreads,
    };
  }

  #sizeOfFragment(name: string): Size {
    const known = this.#sizes.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    if (!fragment) return nothing;
    // A fragment inside itself counts nothing: validation refuses the cycle.
    this.#sizes.set(name, nothing);
    const inside = this.sizeOf(fragment.selectionSet);
    const size = { ...inside, spreads: inside.spreads + 1 };
    this.#sizes.set(name, size);
    return size;
  }
}

const beside = (one: Size, other: Size): Size => ({
  depth: Math.max(one.depth, other.depth),
  aliases: one.aliases + other.aliases,
  nodes: one.nodes + other.nodes,
  spreads: one.spreads + other.spreads,
});
