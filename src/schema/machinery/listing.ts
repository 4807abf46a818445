import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import {
  type CursorPart,
  cursorParts,
  decodeCursor,
  encodeCursor,
  fitPage,
  toPage,
} from '../../engine/paging/index.ts';
import { rowLength } from '../loaders/index.ts';
import type { SchemaContext } from './context.ts';
import { type ConnectionShape, type PageArgs, readConnection } from './fittingPage.ts';

/** A list of the registry, ordered by a unique key. */
export interface Listing<Row> {
  /** The name of the list, for its cursors. */
  name: string;
  /** Text columns that sort the list. Together they are unique. */
  key: readonly (keyof Row)[];
  /** The checks of their values in a cursor. Default: any text. */
  parts?: readonly CursorPart<string>[];
  read(part: ListingPart): Promise<Row[]>;
}

/** Arguments of Prisma's `findMany`. `after` is a condition in addition to those of the list. */
export interface ListingPart {
  after: object;
  orderBy: object[];
  take: number;
}

type Position = readonly string[];

/** A definition may have a megabyte, so one statement reads at most a hundred rows. */
const rowsAtOnce = 100;

/** A page of a list. It ends early instead of being too large to answer. */
export async function readListing<Row>(
  { engine }: SchemaContext,
  listing: Listing<Row>,
  args: PageArgs,
): Promise<ConnectionShape<Row>> {
  return readConnection(
    args,
    async ({ after, limit }) => {
      const shape = listing.parts ?? listing.key.map(() => cursorParts.text);
      const position = after === undefined ? undefined : decodeCursor(listing.name, after, shape);
      const rows = await rowsAfter(listing, position, limit + 1);
      const page = toPage(rows, limit, (row) => encodeCursor(listing.name, positionOf(listing, row)));
      return fitPage(page, engine.settings.limits.pageMaxBytes, async (rows) => rows.map(rowLength));
    },
    { default: rowsAtOnce, max: rowsAtOnce },
  );
}

/** Prisma's `select` for the fields of a connection's nodes in a document. */
export const ofNodes = (context: SchemaContext, info: GraphQLResolveInfo): object =>
  queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] });

/**
 * A whole list, read in pages. The page that breaks a limit of the answer is the last one: the
 * meter refuses the operation.
 */
export async function readWholeListing<Row>({ meter }: SchemaContext, listing: Listing<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for (let position: Position | undefined; ; ) {
    const rows = await rowsAfter(listing, position, rowsAtOnce);
    meter.load(rows.reduce((sum, row) => sum + rowLength(row), 0));
    all.push(...rows);
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce || !meter.hasRoomFor(all.length)) return all;
    position = positionOf(listing, last);
  }
}

const positionOf = <Row>({ key }: Listing<Row>, row: Row): Position => key.map((column) => String(row[column]));

/**
 * Up to `take` rows after a position: first the rows with the same first column, then the others.
 * With both in one condition, the database would scan all rows before the position again.
 */
async function rowsAfter<Row>(
  { key, read }: Listing<Row>,
  position: Position | undefined,
  take: number,
): Promise<Row[]> {
  const [first = '', second] = key;
  const later = { [first]: { gt: position?.[0] } };
  const same = { [first]: position?.[0], ...(second && { [second]: { gt: position?.[1] } }) };
  const parts = position === undefined ? [{}] : second === undefined ? [later] : [same, later];
  const orderBy = key.map((column) => ({ [column]: 'asc' }));
  const rows: Row[] = [];
  for (const after of parts) {
    if (rows.length < take) rows.push(...(await read({ after, orderBy, take: take - rows.length })));
  }
  return rows;
}
