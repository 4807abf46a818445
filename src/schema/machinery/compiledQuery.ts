// Queries of our own documents, compiled once. The executor of GraphQL finds out anew for each
// field of each object what to call and how to check it. That takes most of the time of a large
// page.
//
// Owns: the walk over the selection of a query.
// Does not own: resolvers, limits and turns of the event loop, which are those of the schema.
//
// Invariants:
//   C1. An answer without errors equals that of GraphQL's executor.
//   C2. With an error there is no data. It is reported once all resolvers have ended, so none works
//       on after the answer.
//   C3. A document that needs more than is here has no compiled form.
import {
  type DocumentNode,
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getVariableValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';

/** Executes a query. Never rejects: an error is in the result. */
export type CompiledQuery = (args: ExecutionArgs) => Promise<ExecutionResult>;

/** The compiled form of a document; undefined if it needs GraphQL's executor (C3). */
export function compileQuery(schema: GraphQLSchema, document: DocumentNode): CompiledQuery | undefined {
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const root = schema.getQueryType();
  if (operation?.operation !== OperationTypeNode.QUERY || !root) return undefined;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const compiler = new Compiler(schema, fragments);
  try {
    const complete = compiler.objectOf(root, [operation.selectionSet]);
    return async (args) => {
      const { coerced, errors } = getVariableValues(
        schema,
        operation.variableDefinitions ?? [],
        args.variableValues ?? {},
      );
      if (!coerced) return { errors };
      return new Execution({ schema, fragments, operation, args, variables: coerced }).run(complete);
    };
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
}

class NotCompiled extends Error {}

/** Turns the value of a resolver into that of the answer. */
type Complete = (execution: Execution, value: unknown, of: FieldPlan | undefined) => unknown;

interface FieldPlan {
  /** Its number among all fields of the document. */
  index: number;
  /** Its name in the answer. */
  key: string;
  node: FieldNode;
  nodes: readonly FieldNode[];
  field: GraphQLField<unknown, unknown>;
  parent: GraphQLObjectType;
  resolve: GraphQLFieldResolver<unknown, unknown>;
  hasDirectives: boolean;
  complete: Complete;
}

type Fragments = Record<string, FragmentDefinitionNode>;

class Compiler {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  #fields = 0;

  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  objectOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Complete {
    // Pothos finds what one statement of Prisma has read by the whole path of a field.
    if (type.extensions['pothosPrismaModel']) throw new NotCompiled();
    const byKey = new Map<string, FieldNode[]>();
    for (const set of sets) this.#collect(type, set, byKey);
    const plans = [...byKey].map(([key, nodes]) => this.#fieldOf(type, key, nodes));
    return (execution, source) => {
      const made: Record<string, unknown> = {};
      for (const plan of plans) if (execution.includes(plan)) execution.resolve(made, source, plan);
      return made;
    };
  }

  #collect(type: GraphQLObjectType, { selections }: SelectionSetNode, byKey: Map<string, FieldNode[]>): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        byKey.set(key, [...(byKey.get(key) ?? []), selection]);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments[selection.name.value] : undefined;
      if (!fragment || selection.directives?.length) throw new NotCompiled();
      const on = this.#schema.getType(fragment.typeCondition.name.value);
      const applies = on === type || (isAbstractType(on) && this.#schema.isSubType(on, type));
      if (applies) this.#collect(type, fragment.selectionSet, byKey);
    }
  }

  #fieldOf(parent: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): FieldPlan {
    const [node] = nodes;
    const field = node && parent.getFields()[node.name.value];
    const hasDirectives = nodes.some(({ directives }) => (directives?.length ?? 0) > 0);
    if (!node || !field || (hasDirectives && nodes.length > 1)) throw new NotCompiled();
    const index = this.#fields++;
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const resolve = field.resolve ?? defaultFieldResolver;
    const complete = this.#valueOf(field.type, sets);
    return { index, key, node, nodes, field, parent, resolve, hasDirectives, complete };
  }

  #valueOf(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): Complete {
    if (isNonNullType(type)) {
      const complete = this.#valueOf(type.ofType, sets);
      return (execution, value, of) => complete(execution, value, of) ?? noNull(of);
    }
    const complete = this.#presentOf(type, sets);
    return (execution, value, of) => (value === null || value === undefined ? null : complete(execution, value, of));
  }

  #presentOf(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): Complete {
    if (isLeafType(type)) return (_execution, value) => type.serialize(value) ?? failSerialize(type.name);
    if (isListType(type)) return listOf(this.#valueOf(type.ofType, sets));
    if (isAbstractType(type)) return this.#abstractOf(type, sets);
    if (isNonNullType(type)) throw new NotCompiled();
    return this.objectOf(type, sets);
  }

  #abstractOf(type: GraphQLAbstractType, sets: readonly SelectionSetNode[]): Complete {
    const byName = new Map(
      this.#schema.getPossibleTypes(type).map((each) => [each.name, this.objectOf(each, sets)] as const),
    );
    const resolveType = type.resolveType ?? defaultTypeResolver;
    return (execution, value, of) => {
      if (!of) throw new Error(`the query itself is a ${type.name}`);
      const name = resolveType(value, execution.context, execution.infoOf(of), type);
      const complete = typeof name === 'string' ? byName.get(name) : undefined;
      if (!complete) throw new Error(`a value of ${type.name} has no type of the schema`);
      return complete(execution, value, of);
    };
  }
}

const listOf =
  (complete: Complete): Complete =>
  (execution, value, of) => {
    if (typeof value === 'string' || !isIterable(value)) throw new Error(`${of?.key ?? ''} is no list`);
    const items = Array.isArray(value) ? value : [...value];
    const made: unknown[] = new Array(items.length);
    for (let index = 0; index < items.length; index += 1) execution.place(made, index, items[index], complete, of);
    return made;
  };

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

function noNull(of: FieldPlan | undefined): never {
  throw new Error(`null for ${of?.parent.name ?? ''}.${of?.field.name ?? ''}, which is never null`);
}

function failSerialize(type: string): never {
  throw new Error(`a value of ${type} cannot be serialized`);
}

interface ExecutionParts {
  schema: GraphQLSchema;
  fragments: Fragments;
  operation: OperationDefinitionNode;
  args: ExecutionArgs;
  variables: Record<string, unknown>;
}

/** One execution. Values that come later are put into their places, which are kept for them. */
class Execution {
  readonly context: unknown;
  readonly #parts: ExecutionParts;
  readonly #infos: GraphQLResolveInfo[] = [];
  readonly #arguments: Record<string, unknown>[] = [];
  readonly #included: boolean[] = [];
  /** Values that have not come, and the walk itself. */
  #open = 1;
  #error: GraphQLError | undefined;
  #end: () => void = () => undefined;

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
    this.context = parts.args.contextValue;
  }

  async run(complete: Complete): Promise<ExecutionResult> {
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    const data = complete(this, this.#parts.args.rootValue, undefined);
    this.#leave();
    await ended;
    return this.#error ? { errors: [this.#error] } : { data: data as Record<string, unknown> };
  }

  includes({ hasDirectives, index, node }: FieldPlan): boolean {
    if (!hasDirectives) return true;
    const { variables } = this.#parts;
    this.#included[index] ??=
      getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
      getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
    return this.#included[index];
  }

  resolve(into: Record<string, unknown>, source: unknown, plan: FieldPlan): void {
    if (this.#error) return;
    try {
      const value = plan.resolve(source, this.#argumentsOf(plan), this.context, this.infoOf(plan));
      this.place(into, plan.key, value, plan.complete, plan);
    } catch (error) {
      this.#fail(error, plan);
    }
  }

  /** Throws if a value that is there cannot be completed. */
  place<Key extends string | number>(
    into: Record<Key, unknown>,
    key: Key,
    value: unknown,
    complete: Complete,
    of: FieldPlan | undefined,
  ): void {
    if (!isThenable(value)) {
      into[key] = complete(this, value, of);
      return;
    }
    into[key] = null;
    this.#open += 1;
    const put = (settled: unknown): void => {
      try {
        if (!this.#error) into[key] = complete(this, settled, of);
      } catch (error) {
        this.#fail(error, of);
      }
      this.#leave();
    };
    const fail = (error: unknown): void => {
      this.#fail(error, of);
      this.#leave();
    };
    value.then(put, fail);
  }

  infoOf(plan: FieldPlan): GraphQLResolveInfo {
    const { schema, fragments, operation, args, variables } = this.#parts;
    this.#infos[plan.index] ??= {
      fieldName: plan.field.name,
      fieldNodes: plan.nodes,
      returnType: plan.field.type,
      parentType: plan.parent,
      path: { prev: undefined, key: plan.key, typename: plan.parent.name },
      schema,
      fragments,
      rootValue: args.rootValue,
      operation,
      variableValues: variables,
    };
    return this.#infos[plan.index] as GraphQLResolveInfo;
  }

  #argumentsOf({ field, index, node }: FieldPlan): Record<string, unknown> {
    if (field.args.length === 0) return noArguments;
    this.#arguments[index] ??= getArgumentValues(field, node, this.#parts.variables);
    return this.#arguments[index];
  }

  /** C2. */
  #fail(error: unknown, of: FieldPlan | undefined): void {
    this.#error ??= locatedError(error, of?.nodes, of && [of.key]);
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#end();
  }
}

const noArguments: Record<string, unknown> = {};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
