import type { GraphQLResolveInfo } from 'graphql';
import type { ApprovalRow } from '../../engine/approvals/index.ts';
import type { EventRow } from '../../engine/events/index.ts';
import { fitPage, type Page, pageSize, pageSizes, type Sized, type Sizes } from '../../engine/paging/index.ts';
import type { RunRow } from '../../engine/runs/index.ts';
import type { DeliveryRow } from '../../engine/webhooks/deliveries/index.ts';
import type { MessagePart, SourceDeliveryRow } from '../../engine/webhooks/inbound/index.ts';
import {
  type ApprovalPayload,
  type LoadedStep,
  type Loaders,
  type PayloadLoader,
  spanOf,
  stepName,
  type Wanted,
} from '../loaders/index.ts';
import type { SchemaContext } from './context.ts';
import { selectedColumns } from './selection.ts';

// Pages of rows with payloads. If a document asks for payloads, a page ends early instead of being
// too large to answer. The loader of the payloads keeps the sizes, so that they are read once.

type Fitting<Row> = (context: SchemaContext, page: Page<Row>, info: GraphQLResolveInfo) => Promise<Page<Row>>;

/** A loader of payloads by column. */
type Looking<Owner, Column extends string> = Pick<PayloadLoader<Owner, Column, Sized, unknown>, 'look' | 'wantedOf'>;

const fitting =
  <Row, Owner, Column extends string>(
    loaderOf: (loaders: Loaders) => Looking<Owner, Column>,
    nameOf: (row: Row) => string,
    ownersOf: (rows: readonly Row[], wanted: Wanted<Column>) => Owner[],
  ): Fitting<Row> =>
  async ({ engine, loaders }, page, info) => {
    const loader = loaderOf(loaders);
    const wanted = loader.wantedOf(selectedColumns(info));
    if (!Object.values(wanted).includes(true)) return page;
    return fitPage(page, engine.settings.limits.pageMaxBytes, async (rows) => {
      const sizes = await loader.look(ownersOf(rows, wanted), wanted);
      return rows.map((row) => sizes.get(nameOf(row)) ?? 0);
    });
  };

const idOf = ({ id }: { id: string }): string => id;
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(idOf);

export const fittingEvents: Fitting<EventRow> = fitting<EventRow, string, 'data'>(
  ({ events }) => events.eventData,
  idOf,
  idsOf,
);

export const fittingApprovals: Fitting<ApprovalRow> = fitting<ApprovalRow, string, ApprovalPayload>(
  ({ approvals }) => approvals.approvalPayload,
  idOf,
  idsOf,
);

export const fittingDeliveries: Fitting<DeliveryRow> = fitting<DeliveryRow, string, 'payload'>(
  ({ deliveries }) => deliveries.deliveryPayload,
  idOf,
  idsOf,
);

export const fittingSourceDeliveries: Fitting<SourceDeliveryRow> = fitting<SourceDeliveryRow, string, MessagePart>(
  ({ sourceDeliveries }) => sourceDeliveries.sourceMessage,
  idOf,
  idsOf,
);

/** A failed run has an error. A cancelled run may have one, which names the event of `cancelOn`. */
export const mayHaveError = (status: string): boolean => status === 'failed' || status === 'cancelled';

/** Only succeeded runs have a result. */
export const fittingRuns: Fitting<RunRow> = fitting(
  ({ runs }) => runs.runPayload,
  idOf,
  (rows: readonly RunRow[], { input, result, error }) =>
    idsOf(rows.filter(({ status }) => input || (result && status === 'succeeded') || (error && mayHaveError(status)))),
);

const fittingStepRows: Fitting<LoadedStep> = fitting(
  ({ steps }) => steps.stepPayloads,
  stepName,
  (rows: readonly LoadedStep[]) => {
    const [first] = rows;
    // The position right before the first step. Attempts are whole numbers.
    return first ? [spanOf({ index: first.index, attempt: first.attempt - 1 }, first, rows)] : [];
  },
);

/** Steps between which others may stand: each one is a span of its own. */
export const fittingStepsAmongOthers: Fitting<LoadedStep> = async (context, page, info) => {
  const rows = page.rows.map((row) => ({
    ...row,
    span: spanOf({ index: row.index, attempt: row.attempt - 1 }, row, [row]),
  }));
  return fittingSingleSteps(context, { ...page, rows }, info);
};

const fittingSingleSteps: Fitting<LoadedStep> = fitting(
  ({ steps }) => steps.stepPayloads,
  stepName,
  (rows: readonly LoadedStep[]) => rows.map(({ span }) => span),
);

/** Makes the steps one span, so that exactly their payloads are read together. */
export const fittingSteps: Fitting<LoadedStep> = async (context, page, info) => {
  const fitted = await fittingStepRows(context, page, info);
  const [first] = fitted.rows;
  const span = first && spanOf(first.span.after, first, fitted.rows);
  return span ? { ...fitted, rows: fitted.rows.map((row) => ({ ...row, span })) } : fitted;
};

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
  // A page has up to 1000 cursors, each with a checksum, and most documents ask for the last one.
  const edges = page.rows.map((node) => ({
    node,
    get cursor() {
      return page.cursorOf(node);
    },
  }));
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
