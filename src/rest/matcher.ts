import { decodePart } from './declare/query.ts';
import { malformedPath, wrongMethod } from './serve/errors.ts';

/** The facts about a route that a matcher needs. */
export interface Matchable {
  method: string;
  /** The path. A segment `{name}` matches any non-empty segment. */
  path: string;
}

export interface Match<R> {
  route: R;
  path: Record<string, string>;
}

interface Node<R> {
  fixed: Map<string, Node<R>>;
  any: Node<R> | undefined;
  /** Routes by method, with the names of the path's parameters. */
  routes: Map<string, { route: R; names: string[] }>;
}

const newNode = <R>(): Node<R> => ({ fixed: new Map(), any: undefined, routes: new Map() });

/**
 * Finds the route of a request. A fixed segment wins over a parameter, with any method:
 * `/runs/stream` is no `/runs/{id}`. A `GET` route also answers `HEAD`. A trailing slash is
 * ignored.
 */
export class Matcher<R extends Matchable> {
  readonly #root: Node<R> = newNode();

  /** Throws if two routes have the same method and path. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: R): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(route.path)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) names.push(name);
      node = name === undefined ? fixedChild(node, segment) : anyChild(node);
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, names });
  }

  /**
   * The route for a method and a path as sent; undefined if no route has that path. Throws `405`
   * and `400`.
   */
  find(method: string, path: string): Match<R> | undefined {
    const found = search(this.#root, segmentsOf(path), 0, []);
    if (!found) return undefined;
    const { routes } = found.node;
    const match = routes.get(method === 'HEAD' ? 'GET' : method);
    if (!match) throw wrongMethod(allowedMethods(routes));
    return { route: match.route, path: nameValues(match.names, found.values) };
  }
}

interface Found<R> {
  node: Node<R>;
  values: readonly string[];
}

/** Searches the path below a node. Tries the fixed child first. */
function search<R>(
  node: Node<R>,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Found<R> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.routes.size > 0 ? { node, values } : undefined;
  const fixed = node.fixed.get(segment);
  const found = fixed && search(fixed, segments, at + 1, values);
  if (found || !node.any || segment === '') return found;
  return search(node.any, segments, at + 1, [...values, segment]);
}

function nameValues(names: readonly string[], values: readonly string[]): Record<string, string> {
  const path: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decodePart(values[index] ?? '');
    if (value === undefined) throw malformedPath();
    path[name] = value;
  }
  return path;
}

function allowedMethods(routes: ReadonlyMap<string, unknown>): string[] {
  const methods = new Set(routes.keys());
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

const segmentsOf = (path: string): string[] => {
  const segments = path.split('/').slice(1);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  return segments;
};

function fixedChild<R>(node: Node<R>, segment: string): Node<R> {
  let child = node.fixed.get(segment);
  if (!child) {
    child = newNode();
    node.fixed.set(segment, child);
  }
  return child;
}

function anyChild<R>(node: Node<R>): Node<R> {
  node.any ??= newNode();
  return node.any;
}
