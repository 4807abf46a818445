import { notFound } from '../../engine/errors.ts';
import { type BodyFinder, bodyFinder, type DocumentRoute, type Field, type Found } from '../../rest/index.ts';
import { schema } from '../../schema/index.ts';
import type { Annotations, DataAnswer, Path, PayloadPlace, Tool, ToolCall } from '../declare/tool.ts';
import type { Toolset } from '../declare/toolsets.ts';
import { type Arguments, argumentOfField, argumentsOfRoute, inputSchemaOf, toRequest } from './arguments.ts';
import { bodySchemaOf, dataSchema, withAbridged } from './outputSchema.ts';
import { sinceOf } from './since.ts';

/** How a tool declares that it answers what a route does. */
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
  /** Where `read_payload` finds a value of the body. */
  placeOf?(path: Path, body: unknown, call: ToolCall): PayloadPlace | undefined;
}

/** What a request of REST, and the document behind it, get instead of the arguments of a call. */
export interface Instead {
  query?: Readonly<Record<string, string | undefined>>;
  variables?: Readonly<Record<string, unknown>>;
}

/** Runs the document of a route for a call. Throws the failure for the caller or the log. */
export type RouteRunner = (call: ToolCall, instead?: Instead) => Promise<Found>;

/** Prepares the document of a route when it is called first. */
export function routeRunner(route: DocumentRoute): RouteRunner {
  let find: BodyFinder | undefined;
  return async (call, { query, variables } = {}) => {
    find ??= bodyFinder(schema, route);
    const { engine, principal, turn, origin, whenGone } = call;
    const request = toRequest(route, call.arguments, { ...sinceOf(call.arguments, engine.clock), ...query });
    const wanting = { engine, principal, turn, via: 'mcp', origin, whenGone } as const;
    const found = await find({ ...route.variables(request), ...variables }, wanting);
    if (found.body === undefined && route.success.status !== 204) {
      found.release();
      throw notFound(route.success.missing);
    }
    return found;
  };
}

export function oneTool(declared: OneTool): Tool {
  const { route, member, about, placeOf } = declared;
  const read = routeRunner(route);
  const body = bodySchemaOf(route);
  return {
    ...toolOf(declared),
    outputSchema: member === undefined ? withAbridged(body) : dataSchema({ [member]: body }, [member]),
    async run(call) {
      const found = await read(call);
      return oneAnswer(call, found.body, { about, member, placeOf });
    },
  };
}

/** The answer with one thing. */
export function oneAnswer(
  call: ToolCall,
  body: unknown,
  { about, member, placeOf }: Pick<OneTool, 'about'> & Partial<Pick<OneTool, 'member' | 'placeOf'>>,
): DataAnswer {
  const data = member === undefined ? { ...Object(body) } : { [member]: body };
  const within = (path: Path): Path => (member === undefined ? path : path.slice(1));
  return { about: about(Object(body)), data, ...(placeOf && { placeOf: (path) => placeOf(within(path), body, call) }) };
}

export function argumentsOf({ route, without, own = {} }: Declared): Arguments {
  const ours = Object.entries(own).map(([name, field]) => [name, argumentOfField(field)] as const);
  return { ...argumentsOfRoute(route, without), ...Object.fromEntries(ours) };
}

/** The parts of a tool that its route and its own arguments make. */
export const toolOf = (declared: Declared): Omit<Tool, 'outputSchema' | 'run'> => base(declared, argumentsOf(declared));

export const base = (
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
  routes: [route],
});
