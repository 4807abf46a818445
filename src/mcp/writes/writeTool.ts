import { type DocumentRoute, fields, type JsonSchema } from '../../rest/index.ts';
import { bodySchemaOf, dataSchema, withAbridged } from '../catalog/outputSchema.ts';
import { type Declared, type RouteRunner, routeRunner, toolOf } from '../catalog/routeTool.ts';
import type { DataAnswer, Tool } from '../declare/tool.ts';
import { onceById, type Repeat } from './once.ts';

type Body = Readonly<Record<string, unknown>>;

/** A tool that changes something at once. */
export interface WriteTool extends Declared {
  /** The member of `data` with what the route answers. Default: its members are those of `data`. */
  member?: string;
  /** Our line about the answer. */
  about(body: Body): string;
  /** Members of the route's answer that no tool shows. */
  hidden?: readonly string[];
  /** Answers a repeat: the tool then takes a `dedupeId`. */
  repeat?: Repeat;
}

/** The argument of a write that acts once for it. */
export const dedupeId = fields.optionalText(
  'A new id for each act. A repeat within 24 hours answers what the first did.',
);

export function writeTool(declared: WriteTool): Tool {
  const { name, route, member, hidden = [], about, repeat } = declared;
  const shown = shownRoute(route);
  const write = routeRunner(shown);
  const schema = withoutMembers(bodySchemaOf(shown), hidden);
  const tool = toolOf(repeat ? { ...declared, own: { ...declared.own, dedupeId } } : declared);
  const act: Tool['run'] & ((call: Parameters<RouteRunner>[0]) => Promise<DataAnswer>) = async (call) => {
    const body = without(Object((await write(call)).body), hidden);
    return { about: about(body), data: member === undefined ? body : { [member]: body } };
  };
  return {
    ...tool,
    outputSchema: member === undefined ? withAbridged(schema) : dataSchema({ [member]: schema }, [member]),
    run: (call) => (repeat ? onceById(call, name, act, repeat) : act(call)),
  };
}

/** 5.7: no secret leaves by a tool, so what stands beside the thing itself is not read. */
export function shownRoute(route: DocumentRoute): DocumentRoute {
  const { beside: _secret, ...success } = route.success;
  return { ...route, success };
}

export const without = (body: Body, hidden: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !hidden.includes(name)));

function withoutMembers(schema: JsonSchema, hidden: readonly string[]): JsonSchema {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).filter(([each]) => !hidden.includes(each))),
    }),
    ...(required && { required: required.filter((each) => !hidden.includes(each)) }),
  };
}
