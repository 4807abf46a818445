import {
  type FieldNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { ApprovalRow } from '../../engine/approvals/index.ts';
import type { EventRow } from '../../engine/events/index.ts';
import { fitPage, type Page, pageSize, pageSizes, type Sized, type Sizes } from '../../engine/paging/index.ts';
import type { RunRow, StepSpan } from '../../engine/runs/index.ts';
import { type LoadedStep, type PayloadLoader, stepKey, type Wanted, wantedOf } from '../loaders/index.ts';
import type { SchemaContext } from './context.ts';

// Pages of rows with payloads. If a document asks for payloads, a page ends early instead of being
// too large to answer. The sizes that this takes are handed to the loader of the payloads.

type Fitting<Row> = (context: SchemaContext, page: Page<Row>, info: GraphQLResolveInfo) => Promise<Page<Row>>;

interface PagedPayloads<Row, Column extends string, Found> {
  columns: readonly Column[];
  keyOf(row: Row | Found): string;
  /** Reads the sizes of rows, and of small payloads the texts. */
  look(context: SchemaContext, rows: readonly Row[], wanted: Wanted<Column>): Promise<Found[]>;
  handOver(context: SchemaContext, found: readonly Found[], wanted: Wanted<Column>, rows: readonly Row[]): void;
}

const fitting =
  <Row, Column extends string, Found extends Sized>({
    columns,
    keyOf,
    look,
    handOver,
  }: PagedPayloads<Row, Column, Found>): Fitting<Row> =>
  async (context, page, info) => {
    const wanted = wantedOf(columns, selectedOfNodes(info));
    if (!columns.some((column) => wanted[column])) return page;
    const found = new Map<string, Found>();
    const fitted = await fitPage(page, context.engine.settings.limits.pageMaxBytes, async (rows) => {
      for (const each of await look(context, rows, wanted)) found.set(keyOf(each), each);
      return rows.map((row) => found.get(keyOf(row))?.bytes ?? 0);
    });
    const kept = fitted.rows.flatMap((row) => found.get(keyOf(row)) ?? []);
    handOver(context, kept, wanted, fitted.rows);
    return fitted;
  };

/** `mayHold` tells rows apart that have none of the wanted payloads. */
const fittingById = <Row extends { id: string }, Column extends string, Found extends Sized & { id: string }>(
  columns: readonly Column[],
  loaderOf: (context: SchemaContext) => PayloadLoader<string, Column, Found, string | null>,
  mayHold: (row: Row, wanted: Wanted<Column>) => boolean = () => true,
): Fitting<Row> =>
  fitting<Row, Column, Found>({
    columns,
    keyOf: ({ id }) => id,
    look: async (context, rows, wanted) => {
      const ids = rows.flatMap((row) => (mayHold(row, wanted) ? row.id : []));
      return ids.length === 0 ? [] : loaderOf(context).look(ids, wanted);
    },
    handOver: (context, found, wanted) => {
      for (const each of found) loaderOf(context).handOver(each.id, { wanted, rows: [each] });
    },
  });

export const fittingEvents: Fitting<EventRow> = fittingById(['data'], ({ loaders }) => loaders.eventData);

/** Only failed runs have an error, and only succeeded runs a result. */
export const fittingRuns: Fitting<RunRow> = fittingById(
  ['input', 'result', 'error'],
  ({ loaders }) => loaders.runPayload,
  ({ status }: RunRow, { input, result, error }) =>
    input || (result && status === 'succeeded') || (error && status === 'failed'),
);

export const fittingApprovals: Fitting<ApprovalRow> = fittingById(
  ['args', 'editedArgs'],
  ({ loaders }) => loaders.approvalPayload,
);

const fittingStepRows: Fitting<LoadedStep> = fitting({
  columns: ['input', 'output', 'error', 'ai'],
  keyOf: stepKey,
  look: async ({ loaders }, rows: readonly LoadedStep[], wanted) => {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return [];
    // Right before the first of them: attempts are whole numbers.
    const after = { index: first.index, attempt: first.attempt - 1 };
    return loaders.stepPayloads.look([{ runId: first.runId, after, upTo: last }], wanted);
  },
  handOver: ({ loaders }, found, wanted, rows) => {
    const span = spanOf(rows);
    if (span && found.length > 0) loaders.stepPayloads.handOver(span, { wanted, rows: found });
  },
});

/** The steps become one span: their payloads are read together, and none besides. */
export const fittingSteps: Fitting<LoadedStep> = async (context, page, info) => {
  const fitted = await fittingStepRows(context, page, info);
  const { rows } = fitted;
  const span = spanOf(rows);
  return span ? { ...fitted, rows: rows.map((row) => ({ ...row, span })) } : fitted;
};

/** From the start of the page to its last step; undefined if there is none. */
function spanOf(rows: readonly LoadedStep[]): StepSpan | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  return first && last && { ...first.span, upTo: last };
}

/**
 * The names of the fields that a document selects below the resolved field, at a path of field
 * names from there. Fields that `@skip` or `@include` leaves out do not count.
 */
export function selectedFields(info: GraphQLResolveInfo, path: readonly string[] = []): ReadonlySet<string> {
  let nodes: readonly FieldNode[] = info.fieldNodes;
  for (const name of path) nodes = fieldsOf(nodes, info).filter((field) => field.name.value === name);
  return new Set(fieldsOf(nodes, info).map((field) => field.name.value));
}

/** The fields that a document selects of the rows of a connection. */
const selectedOfNodes = (info: GraphQLResolveInfo): ReadonlySet<string> =>
  new Set([...selectedFields(info, ['nodes']), ...selectedFields(info, ['edges', 'node'])]);

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
  const condition = (directive: GraphQLDirective): unknown =>
    getDirectiveValues(directive, selection, variableValues)?.['if'];
  return condition(GraphQLSkipDirective) !== true && condition(GraphQLIncludeDirective) !== false;
}

export interface ConnectionShape<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

/** A page as a connection. A page that starts after a cursor has something before it. */
function toConnection<Node>(page: Page<Node>, after: string | undefined): ConnectionShape<Node> {
  const edges = page.rows.map((node) => ({ cursor: page.cursorOf(node), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasNext,
      hasPreviousPage: after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The arguments of a connection. */
export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

/** A page of a list as a connection. Throws `invalid` on a size that cannot be. */
export async function readConnection<Node>(
  { first, after }: PageArgs,
  read: (part: { after: string | undefined; limit: number }) => Promise<Page<Node>>,
  sizes: Sizes = pageSizes.usual,
): Promise<ConnectionShape<Node>> {
  const cursor = after ?? undefined;
  return toConnection(await read({ after: cursor, limit: pageSize(first, 'first', sizes) }), cursor);
}
