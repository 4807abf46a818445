import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { type ApprovalRow, selectApprovalPayloads } from '../../engine/approvals/index.ts';
import { type EventRow, selectEventData } from '../../engine/events/index.ts';
import { fitPage, type Page, type Sized } from '../../engine/paging/index.ts';
import { type RunRow, selectRunPayloads, selectStepPayloads } from '../../engine/runs/index.ts';
import { type ApprovalPayload, type LoadedStep, type RunPayload, type StepPayload, stepKey } from '../loaders/index.ts';
import type { SchemaContext } from './context.ts';

// Pages of rows with payloads: where the document asks for these, a page ends early rather than be
// too large to answer.

type Fitting<Row> = (context: SchemaContext, page: Page<Row>, info: GraphQLResolveInfo) => Promise<Page<Row>>;

/**
 * `sizesOf` is told which of the columns are asked for, reads no payload, and answers by the key of
 * a row.
 */
const fitting =
  <Row, Column extends string>(
    columns: readonly Column[],
    keyOf: (row: Row) => string,
    sizesOf: (
      context: SchemaContext,
      rows: readonly Row[],
      asked: Record<Column, boolean>,
    ) => Promise<ReadonlyMap<string, number>>,
  ): Fitting<Row> =>
  async (context, page, info) => {
    const selected = selectedOfNodes(info);
    if (!columns.some((column) => selected.has(column))) return page;
    const asked = Object.fromEntries(columns.map((column) => [column, selected.has(column)])) as Record<
      Column,
      boolean
    >;
    return fitPage(page, context.engine.settings.limits.pageMaxBytes, async (rows) => {
      const sizes = await sizesOf(context, rows, asked);
      return rows.map((row) => sizes.get(keyOf(row)) ?? 0);
    });
  };

const idOf = ({ id }: { id: string }): string => id;

const byKey = <Size extends Sized>(sizes: readonly Size[], keyOf: (size: Size) => string): Map<string, number> =>
  new Map(sizes.map((size) => [keyOf(size), size.bytes]));

export const fittingEvents = fitting<EventRow, 'data'>(['data'], idOf, async ({ engine, projectId }, rows) =>
  byKey(await selectEventData(engine.db, { projectId, ids: rows.map(idOf), maxBytes: 0 }), idOf),
);

/** Only runs that failed have an error, and only those that succeeded a result. */
export const fittingRuns = fitting<RunRow, RunPayload>(
  ['input', 'result', 'error'],
  idOf,
  async ({ engine, projectId }, rows, asked) => {
    const { input, result, error } = asked;
    const holding = rows.filter(
      ({ status }) => input || (result && status === 'succeeded') || (error && status === 'failed'),
    );
    if (holding.length === 0) return new Map();
    const ids = holding.map(idOf);
    return byKey(await selectRunPayloads(engine.db, { projectId, ids, ...asked, maxBytes: 0 }), idOf);
  },
);

export const fittingApprovals = fitting<ApprovalRow, ApprovalPayload>(
  ['args', 'editedArgs'],
  idOf,
  async ({ engine, projectId }, rows, asked) =>
    byKey(await selectApprovalPayloads(engine.db, { projectId, ids: rows.map(idOf), ...asked, maxBytes: 0 }), idOf),
);

export const fittingSteps = fitting<LoadedStep, StepPayload>(
  ['input', 'output', 'error', 'ai'],
  stepKey,
  async ({ engine }, rows, asked) => {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return new Map();
    // Right before the first of them: attempts are whole numbers.
    const after = { index: first.index, attempt: first.attempt - 1 };
    const spans = [{ runId: first.runId, after, upTo: last }];
    return byKey(await selectStepPayloads(engine.db, { spans, ...asked, maxBytes: 0 }), stepKey);
  },
);

type Fragments = GraphQLResolveInfo['fragments'];

/**
 * The names of the fields that a document selects below the field that is resolved, at a path of
 * field names from there.
 */
export function selectedFields(
  { fieldNodes, fragments }: GraphQLResolveInfo,
  path: readonly string[] = [],
): ReadonlySet<string> {
  let nodes: readonly FieldNode[] = fieldNodes;
  for (const name of path) nodes = fieldsOf(nodes, fragments).filter((field) => field.name.value === name);
  return new Set(fieldsOf(nodes, fragments).map((field) => field.name.value));
}

/** What a document selects of the rows of a connection. */
const selectedOfNodes = (info: GraphQLResolveInfo): ReadonlySet<string> =>
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
export function toConnection<Node>(page: Page<Node>, after: string | undefined): ConnectionShape<Node> {
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
