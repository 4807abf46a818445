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
 * Finds the route of a request. A fixed segment wins over a parameter (`/runs/stream` over
 * `/runs/{id}`). A `GET` route also answers `HEAD`. A trailing slash is ignored.
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
    const segments = segmentsOf(path);
    const nodes: Candidate<R>[] = [];
    collect(this.#root, segments, 0, [], nodes);
    if (nodes.length === 0) return undefined;
    const wanted = method === 'HEAD' ? 'GET' : method;
    for (const { node, values } of nodes) {
      const found = node.routes.get(wanted);
      if (found) return { route: found.route, path: nameValues(found.names, values) };
    }
    throw wrongMethod(allowedMethods(nodes));
  }
}

interface Candidate<R> {
  node: Node<R>;
  values: readonly string[];
}

function collect<R>(
  node: Node<R>,
  segments: readonly string[],
  at: number,
  values: readonly string[],
  found: Candidate<R>[],
): void {
  const segment = segments[at];
  if (segment === undefined) {
    if (node.routes.size > 0) found.push({ node, values });
    return;
  }
  const fixed = node.fixed.get(segment);
  if (fixed) collect(fixed, segments, at + 1, values, found);
  if (node.any && segment !== '') collect(node.any, segments, at + 1, [...values, segment], found);
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

function allowedMethods<R>(nodes: readonly Candidate<R>[]): string[] {
  const methods = new Set(nodes.flatMap(({ node }) => [...node.routes.keys()]));
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
