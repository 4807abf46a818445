import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { decodeCursor, encodeCursor, fitPage, pageSize, toPage } from '../../engine/paging/index.ts';
import type { SchemaContext } from './context.ts';
import { type ConnectionShape, toConnection } from './fittingPage.ts';

/** A list of the registry, in the order of a unique key. */
export interface Listing<Row> {
  /** The name of the list, for its cursors. */
  name: string;
  /** Columns of text that sort the list, and together name a row. */
  key: readonly (keyof Row)[];
  read(part: ListingPart): Promise<Row[]>;
}

/** Arguments of Prisma's `findMany`; `after` is a condition beside those of the list. */
export interface ListingPart {
  after: object;
  orderBy: object[];
  take: number;
}

type Place = readonly string[];

/** A definition may hold a megabyte, so a hundred rows are as much as is read at once. */
const rowsAtOnce = 100;

/** A page of a list; it ends early rather than be too large to answer. */
export async function readListing<Row>(
  { engine }: SchemaContext,
  listing: Listing<Row>,
  { first, after }: { first?: number | null | undefined; after?: string | null | undefined },
): Promise<ConnectionShape<Row>> {
  const limit = pageSize(first, 'first', { default: rowsAtOnce, max: rowsAtOnce });
  const cursor = after ?? undefined;
  const place = cursor === undefined ? undefined : decodeCursor(listing.name, cursor).map(String);
  const rows = await rowsAfter(listing, place, limit + 1);
  const page = toPage(rows, limit, (row) => encodeCursor(listing.name, placeOf(listing, row)));
  const fitting = await fitPage(page, engine.settings.limits.pageMaxBytes, async (rows) => rows.map(lengthOf));
  return toConnection(fitting, cursor);
}

/** Prisma's `select` for the fields that a document asks of a connection's nodes. */
export const ofNodes = (context: SchemaContext, info: GraphQLResolveInfo): object =>
  queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] });

/**
 * A whole list, read in pages. The first page that breaks a limit of the answer is the last one:
 * the meter then refuses the operation.
 */
export async function readWholeListing<Row>({ meter }: SchemaContext, listing: Listing<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for (let place: Place | undefined; ; ) {
    const rows = await rowsAfter(listing, place, rowsAtOnce);
    meter.load(rows.reduce((sum, row) => sum + lengthOf(row), 0));
    all.push(...rows);
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce || !meter.hasRoomFor(all.length)) return all;
    place = placeOf(listing, last);
  }
}

const lengthOf = (row: unknown): number => JSON.stringify(row).length;

const placeOf = <Row>({ key }: Listing<Row>, row: Row): Place => key.map((column) => String(row[column]));

/**
 * Up to `take` rows after a place: those that share its first column, then the others. In one
 * condition, the database would look at all rows before the place again.
 */
async function rowsAfter<Row>({ key, read }: Listing<Row>, place: Place | undefined, take: number): Promise<Row[]> {
  const [first = '', second] = key;
  const later = { [first]: { gt: place?.[0] } };
  const same = { [first]: place?.[0], ...(second && { [second]: { gt: place?.[1] } }) };
  const parts = place === undefined ? [{}] : second === undefined ? [later] : [same, later];
  const orderBy = key.map((column) => ({ [column]: 'asc' }));
  const rows: Row[] = [];
  for (const after of parts) {
    if (rows.length < take) rows.push(...(await read({ after, orderBy, take: take - rows.length })));
  }
  return rows;
}
