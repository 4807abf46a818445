import { readJson } from '../../engine/json/index.ts';
import { type BodyFinder, bodyFinder, type DocumentRoute, type Found } from '../../rest/index.ts';
import { schema } from '../../schema/index.ts';
import type { McpCall } from '../declare/tool.ts';
import { toRequest } from './arguments.ts';

const finders = new WeakMap<DocumentRoute, BodyFinder>();

/**
 * Runs the document of a route with arguments of ours. `more` are variables of the document that
 * are no parameters of the route, such as the cursor of a list that REST answers whole.
 */
export function readRoute(
  route: DocumentRoute,
  { engine, principal, turn, whenGone }: McpCall,
  { given = {}, more = {} }: { given?: object; more?: Record<string, unknown> },
): Promise<Found> {
  const find = finders.get(route) ?? bodyFinder(schema, route);
  finders.set(route, find);
  const variables = route.variables(toRequest(route, readJson(JSON.stringify(given))));
  return find({ ...variables, ...more }, { engine, principal, turn, via: 'mcp', whenGone });
}
