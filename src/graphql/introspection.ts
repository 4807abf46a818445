import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getOperationAST,
  type IntrospectionType,
  introspectionFromSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { BoundedCache } from '../engine/boundedCache.ts';
import { RawJson } from '../engine/json/index.ts';
import { executeWithin, type SchemaContext, schema } from '../schema/index.ts';

/** Fields of the schema in one answer. The usual query of tools asks for 9,600. */
const maxFields = 30_000;

/** Remembered answers, of up to half a megabyte each. */
const answers = new BoundedCache<OperationDefinitionNode, Readonly<Record<string, RawJson>>>(16);

type Variables = Readonly<Record<string, unknown>>;

/** Whether a document may ask for the schema. */
export const mayIntrospect = (source: string): boolean => /__schema|__type\b/.test(source);

/** Refuses an operation before it answers too much of the schema. */
export function refuseIntrospection(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): GraphQLError | undefined {
  if (answers.get(operation)) return undefined;
  const counter = new FieldCounter(document, { ...defaultsOf(operation), ...variables });
  counter.countRoot(operation.selectionSet);
  if (counter.fields <= maxFields) return undefined;
  return new GraphQLError(`the answer holds more than ${maxFields} fields of the schema: ask for fewer at once`);
}

/** The texts of variables that the caller may leave out. */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.STRING ? [[variable.name.value, defaultValue.value]] : [],
    ),
  );

/** Executes an operation. An answer that is the same for everybody is made once. */
export async function executeRemembered(context: SchemaContext, args: ExecutionArgs): Promise<ExecutionResult> {
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation) return executeWithin(context, args);
  const known = answers.get(operation);
  if (known) return { data: { ...known } };
  const result = await executeWithin(context, args);
  if (!result.data || result.errors || !isOnlyIntrospection(operation)) return result;
  const texts = Object.entries(result.data).map(([name, value]) => [name, RawJson.of(value)] as const);
  answers.set(operation, Object.fromEntries(texts));
  return result;
}

/** Whether the answer depends on nothing but the document. */
const isOnlyIntrospection = ({ selectionSet, variableDefinitions = [] }: OperationDefinitionNode): boolean =>
  variableDefinitions.length === 0 &&
  selectionSet.selections.every((each) => each.kind === Kind.FIELD && /^__(schema|type)$/.test(each.name.value));

interface Introspected {
  schema: unknown;
  types: ReadonlyMap<string, IntrospectionType>;
}

let introspected: Introspected | undefined;

/** The whole schema as introspection answers it, read once. */
function introspect(): Introspected {
  if (introspected) return introspected;
  const { __schema } = introspectionFromSchema(schema, { descriptions: false, inputValueDeprecation: true });
  introspected = { schema: __schema, types: new Map(__schema.types.map((type) => [type.name, type])) };
  return introspected;
}

/** Counts the fields of an answer without making it; stops soon after the limit. */
class FieldCounter {
  fields = 0;
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #flat = new Map<SelectionSetNode, readonly FieldNode[]>();

  constructor({ definitions }: DocumentNode, variables: Variables) {
    this.#variables = variables;
    for (const each of definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(each.name.value, each);
    }
  }

  countRoot(set: SelectionSetNode): void {
    for (const field of this.#fieldsOf(set)) {
      const { value: name } = field.name;
      if (name === '__schema') this.#count(field, introspect().schema);
      if (name === '__type') this.#count(field, introspect().types.get(this.#nameOf(field)));
    }
  }

  #nameOf({ arguments: given = [] }: FieldNode): string {
    const value = given.find(({ name }) => name.value === 'name')?.value;
    if (value?.kind === Kind.STRING) return value.value;
    return value?.kind === Kind.VARIABLE ? String(this.#variables[value.name.value]) : '';
  }

  #count(field: FieldNode, value: unknown): void {
    this.fields += 1;
    if (!field.selectionSet || this.fields > maxFields) return;
    for (const each of Array.isArray(value) ? value : [value]) this.#countIn(field.selectionSet, each);
  }

  #countIn(set: SelectionSetNode, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const whole = this.#wholeOf(value);
    for (const field of this.#fieldsOf(set)) {
      if (this.fields > maxFields) return;
      this.#count(field, Reflect.get(whole, field.name.value));
    }
  }

  /** A reference to a type has only its name: its other fields are those of the type itself. */
  #wholeOf(value: object): object {
    if (!('kind' in value && 'name' in value)) return value;
    return introspect().types.get(String(value.name)) ?? value;
  }

  #fieldsOf(set: SelectionSetNode): readonly FieldNode[] {
    const known = this.#flat.get(set);
    if (known) return known;
    const fields: FieldNode[] = [];
    this.#flatten(set, fields);
    this.#flat.set(set, fields);
    return fields;
  }

  #flatten({ selections }: SelectionSetNode, fields: FieldNode[]): void {
    for (const each of selections) {
      if (each.kind === Kind.FIELD) fields.push(each);
      else {
        const inner =
          each.kind === Kind.INLINE_FRAGMENT ? each.selectionSet : this.#fragments.get(each.name.value)?.selectionSet;
        if (inner) this.#flatten(inner, fields);
      }
    }
  }
}
