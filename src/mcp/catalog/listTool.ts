import { invalid } from '../../engine/errors.ts';
import { type CursorValue, cursorParts, decodeCursor, encodeCursor } from '../../engine/paging/index.ts';
import { type DocumentRoute, endOfPage, type Found, type JsonSchema, valueAt } from '../../rest/index.ts';
import type { DataAnswer, Path, PayloadPlace, Tool, ToolCall } from '../declare/tool.ts';
import { type Arguments, memberOf } from './arguments.ts';
import { fittingPage } from './fittingPage.ts';
import { bodySchemaOf, dataSchema } from './outputSchema.ts';
import { argumentsOf, base, type Declared, type Instead, routeRunner } from './routeTool.ts';
import { shortSchema } from './words.ts';

/** A tool that answers a page of a list. */
export interface ListTool extends Declared {
  /** The member of `data` with the entries, and their name in our line. */
  member: string;
  /** Variables of the document beside those of the route. */
  variables?(call: ToolCall): Readonly<Record<string, unknown>>;
  /** What an entry shows. */
  entry?(row: Row, call: ToolCall): unknown;
  /** Where `read_payload` finds a value of an entry, by its path there. */
  placeOf?(path: Path, row: Row, call: ToolCall): PayloadPlace | undefined;
  /** The order of a list that REST answers at once. Pages are parts of it. */
  order?: ListOrder;
}

export type Row = Readonly<Record<string, unknown>>;

/** A stable order of entries. */
export interface ListOrder {
  /** The members that tell the position of an entry. Together they are unique. */
  by: readonly string[];
  dir: 'asc' | 'desc';
  /** The page size with which REST answers all that it has; undefined if it takes none. */
  limit?: number;
}

/** The sizes of a page of a tool. */
export const toolPage = { default: 20, max: 100 } as const;

/** A part of a list, and what leads on. */
interface Part {
  rows: readonly Row[];
  next: { nextCursor?: string; nextFrom?: number };
  release(): void;
}

/** Reads a part with at most so many entries. */
type PartReader = (call: ToolCall, limit: number) => Promise<Part>;

export function listTool(declared: ListTool): Tool {
  const { route, member, entry = (row: Row): unknown => row, placeOf } = declared;
  const read = partReader(declared);
  return {
    ...base(declared, { ...argumentsOf(declared), ...pageArguments(route) }),
    outputSchema: dataSchema({ [member]: bodySchemaOf(route), ...nextSchema(route) }, [member]),
    run: (call) =>
      fittingPage(
        async (limit) => {
          const { rows, next, release } = await read(call, limit);
          const answer: DataAnswer = {
            about: aboutPage(member, rows.length, next),
            data: { [member]: rows.map((row) => entry(row, call)), ...next },
            placeOf: (path) => {
              const row = typeof path[1] === 'number' ? rows[path[1]] : undefined;
              return row && path.length > 2 ? placeOf?.(path.slice(2), row, call) : undefined;
            },
          };
          return { count: rows.length, member, answer, release };
        },
        limitOf(call),
        call.maxBytes,
      ),
  };
}

/** Our line about a page. */
function aboutPage(member: string, count: number, { nextCursor, nextFrom }: Part['next']): string {
  const begin = `${count} ${member} on this page.`;
  if (nextCursor !== undefined) return `${begin} More follow: pass nextCursor as cursor.`;
  return nextFrom === undefined ? `${begin} No more follow.` : `${begin} More follow: pass nextFrom as from.`;
}

/** The ways in which REST answers lists. */
function partReader(declared: ListTool): PartReader {
  const { route, variables = () => ({}), order } = declared;
  const run = routeRunner(route);
  const read = (call: ToolCall, instead: Instead): Promise<Found> =>
    run(call, { ...instead, variables: { ...instead.variables, ...variables(call) } });
  if (order) return orderedReader(declared, order, read);
  const { page, whole, nextFrom } = route.success;
  return async (call, limit) => {
    const found = await read(
      call,
      whole ? { variables: { first: limit, after: cursorOf(call) } } : { query: { limit: String(limit) } },
    );
    const end = page && endOfPage(valueAt(found.data, page));
    const seq = nextFrom && valueAt(found.data, nextFrom);
    const next = {
      ...(end !== undefined && { nextCursor: end }),
      ...(typeof seq === 'number' && { nextFrom: seq }),
    };
    return { rows: rowsOf(found), next, release: found.release };
  };
}

/** REST answers the whole list: the tool answers the part after a position. */
function orderedReader(
  { name }: Declared,
  { by, dir, limit: all }: ListOrder,
  read: (call: ToolCall, instead: Instead) => Promise<Found>,
): PartReader {
  const list = `tools.${name}`;
  const positionOf = (row: Row): string[] => by.map((member) => String(row[member]));
  const sign = dir === 'asc' ? 1 : -1;
  return async (call, limit) => {
    const cursor = cursorOf(call);
    const position =
      cursor === undefined
        ? undefined
        : decodeCursor(
            list,
            cursor,
            by.map(() => cursorParts.text),
          );
    const found = await read(call, all === undefined ? {} : { query: { limit: String(all) } });
    const sorted = rowsOf(found).toSorted((a, b) => sign * compare(positionOf(a), positionOf(b)));
    const rest = position ? sorted.filter((row) => sign * compare(positionOf(row), position) > 0) : sorted;
    const rows = rest.slice(0, limit);
    const last = rows.at(-1);
    const next = last && rest.length > rows.length ? { nextCursor: encodeCursor(list, positionOf(last)) } : {};
    return { rows, next, release: found.release };
  };
}

function compare(a: readonly CursorValue[], b: readonly CursorValue[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? '';
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

const rowsOf = ({ body }: Found): readonly Row[] => (Array.isArray(body) ? body : []);

function pageArguments(route: DocumentRoute): Arguments {
  const schema = { type: 'integer', minimum: 1, maximum: toolPage.max, default: toolPage.default } as const;
  const limit = { schema, required: false };
  if (route.success.nextFrom) return { limit };
  return { limit, cursor: { schema: shortSchema('cursor', { type: 'string' }), required: false } };
}

const nextSchema = (route: DocumentRoute): Record<string, JsonSchema> =>
  route.success.nextFrom ? { nextFrom: { type: 'integer' } } : { nextCursor: { type: 'string' } };

function cursorOf(call: ToolCall): string | undefined {
  const cursor = memberOf(call.arguments, 'cursor');
  if (cursor === undefined || cursor === '') return undefined;
  if (typeof cursor !== 'string') throw invalid('cursor must be a string');
  return cursor;
}

/** The page size that a call asks for. Throws `invalid` outside of the accepted range. */
export function limitOf(call: ToolCall): number {
  const value = memberOf(call.arguments, 'limit') ?? toolPage.default;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > toolPage.max)
    throw invalid(`limit must be an integer from 1 to ${toolPage.max}`);
  return value;
}
