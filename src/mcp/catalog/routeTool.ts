import { invalid, notFound } from '../../engine/errors.ts';
import {
  type BodyFinder,
  bodyFinder,
  type DocumentRoute,
  endOfPage,
  type Field,
  type Found,
  type JsonSchema,
  valueAt,
} from '../../rest/index.ts';
import { schema } from '../../schema/index.ts';
import { fitData } from '../answer/answer.ts';
import type { Annotations, DataAnswer, Tool, ToolCall } from '../declare/tool.ts';
import type { Toolset } from '../declare/toolsets.ts';
import { type Arguments, argumentOfField, argumentsOfRoute, inputSchemaOf, memberOf, toRequest } from './arguments.ts';
import { bodySchemaOf, dataSchema, withAbridged } from './outputSchema.ts';
import { sinceOf } from './since.ts';

export interface Declared {
  name: string;
  toolset: Toolset;
  route: DocumentRoute;
  title: string;
  description: string;
  annotations: Annotations;
  /** Arguments of the route that the tool does not take. */
  without?: readonly string[];
  /** Arguments beside those of the route. */
  own?: Readonly<Record<string, Field<unknown>>>;
}

/** A tool that answers what a route does: one thing. */
export interface OneTool extends Declared {
  /** Our line about the answer. */
  about(body: Readonly<Record<string, unknown>>): string;
  /** The member of `data` with what the route answers. Default: its members are those of `data`. */
  member?: string;
  payloadPath?: DataAnswer['payloadPath'];
}

/** A tool that answers a page of a list. */
export interface ListTool extends Declared {
  /** The member of `data` with the entries. */
  member: string;
  /** Our line about a page of so many entries. */
  about(count: number, hasMore: boolean): string;
}

/** The sizes of a page of a tool. */
export const toolPage = { default: 20, max: 100 } as const;

/** Runs the document of a route for a call. Throws the failure for the caller or the log. */
export type RouteRunner = (call: ToolCall, instead?: Readonly<Record<string, string | undefined>>) => Promise<Found>;

/** Prepares the document of a route when it is called first. */
export function routeRunner(route: DocumentRoute): RouteRunner {
  let find: BodyFinder | undefined;
  return async (call, instead) => {
    find ??= bodyFinder(schema, route);
    const { engine, principal, turn, origin, whenGone } = call;
    const request = toRequest(route, call.arguments, { ...sinceOf(call.arguments, engine.clock), ...instead });
    const found = await find(route.variables(request), { engine, principal, turn, via: 'mcp', origin, whenGone });
    if (found.body === undefined && route.success.status !== 204) {
      found.release();
      throw notFound(route.success.missing);
    }
    return found;
  };
}

export function oneTool(declared: OneTool): Tool {
  const { route, member, about, payloadPath } = declared;
  const read = routeRunner(route);
  const body = bodySchemaOf(route);
  return {
    ...toolOf(declared),
    outputSchema: member === undefined ? withAbridged(body) : dataSchema({ [member]: body }, [member]),
    async run(call) {
      const found = await read(call);
      const data = member === undefined ? { ...Object(found.body) } : { [member]: found.body };
      return { about: about(Object(found.body)), data, ...(payloadPath && { payloadPath }) };
    },
  };
}

export function listTool(declared: ListTool): Tool {
  const { route, member, about } = declared;
  const read = routeRunner(route);
  const given = { ...argumentsOf(declared), limit: limitArgument };
  return {
    ...base(declared, given),
    outputSchema: dataSchema({ [member]: bodySchemaOf(route), nextCursor }, [member]),
    async run(call) {
      const page = async (limit: number): Promise<Page> => {
        const found = await read(call, { limit: String(limit) });
        const rows = Array.isArray(found.body) ? found.body : [];
        const end = route.success.page && endOfPage(valueAt(found.data, route.success.page));
        const data = { [member]: rows, ...(end !== undefined && { nextCursor: end }) };
        return { rows, answer: { about: about(rows.length, end !== undefined), data }, release: found.release };
      };
      return fittingPage(page, limitOf(call), call.maxBytes);
    },
  };
}

export interface Page {
  rows: readonly unknown[];
  answer: DataAnswer;
  release(): void;
}

/**
 * Reads a page that fits an answer. A page that is too large is read again with fewer entries, so
 * that its cursor is the one after its last entry. A single entry is shortened instead.
 */
export async function fittingPage(
  read: (limit: number) => Promise<Page>,
  asked: number,
  maxBytes: number,
): Promise<DataAnswer> {
  let limit = asked;
  for (;;) {
    const { rows, answer, release } = await read(limit);
    if (rows.length <= 1 || fitData(answer, maxBytes, 'full')) return answer;
    release();
    limit = Math.max(1, Math.min(rows.length - 1, entriesThatFit(rows, answer, maxBytes)));
  }
}

/** How many entries fit, by their sizes alone. */
function entriesThatFit(rows: readonly unknown[], { about }: DataAnswer, maxBytes: number): number {
  let room = maxBytes;
  for (const [count, row] of rows.entries()) {
    const fitted = fitData({ about, data: { row } }, room, 'full');
    if (!fitted) return count;
    room -= Buffer.byteLength(fitted.json) - '{"row":}'.length + 1;
  }
  return rows.length;
}

const limitArgument = {
  schema: { type: 'integer', minimum: 1, maximum: toolPage.max, default: toolPage.default },
  required: false,
} as const;

const nextCursor: JsonSchema = {
  type: 'string',
  description: 'The `cursor` of the next page; absent on the last one.',
};

/** The page size that a call asks for. Throws `invalid` outside of the accepted range. */
export function limitOf(call: ToolCall): number {
  const value = memberOf(call.arguments, 'limit') ?? toolPage.default;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > toolPage.max)
    throw invalid(`limit must be an integer from 1 to ${toolPage.max}`);
  return value;
}

function argumentsOf({ route, without, own = {} }: Declared): Arguments {
  const ours = Object.entries(own).map(([name, field]) => [name, argumentOfField(field)] as const);
  return { ...argumentsOfRoute(route, without), ...Object.fromEntries(ours) };
}

/** The parts of a tool that its route and its own arguments make. */
export const toolOf = (declared: Declared): Omit<Tool, 'outputSchema' | 'run'> => base(declared, argumentsOf(declared));

const base = (
  { name, toolset, route, title, description, annotations }: Declared,
  given: Arguments,
): Omit<Tool, 'outputSchema' | 'run'> => ({
  name,
  toolset,
  title,
  description,
  annotations,
  inputSchema: inputSchemaOf(given),
  isWrite: route.scope === 'write',
});
