import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { projectRoot } from '../support/build.ts';
import { blocksOf, pages } from './pages.ts';

interface Operation {
  parameters?: { name: string; in: string }[];
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const paths: Record<string, Record<string, Operation>> = JSON.parse(read('openapi.json')).paths;
const schema: GraphQLSchema = buildSchema(read('schema.graphql'));

/** Doors without a place in the OpenAPI document, because they follow other protocols. */
const otherDoors = ['/graphql', '/mcp', '/console'];

/** A request as a page names it: `GET /runs/{id}?wait=`. */
interface Request {
  at: string;
  method: string | undefined;
  path: string;
  parameters: string[];
}

function requestOf(at: string, method: string | undefined, target: string): Request {
  const [path = '', query = ''] = target.split('?');
  const parameters = query.split('&').map((each) => each.split('=')[0] ?? '');
  return { at, method, path, parameters: parameters.filter(Boolean) };
}

/** Requests in code spans. */
const named = pages.flatMap(({ path, spans }) =>
  spans.flatMap((span) => {
    const [, method, target] = /^(?:(GET|POST|PATCH|PUT|DELETE) )?(\/[a-z][^\s`]*)$/.exec(span) ?? [];
    return target === undefined ? [] : [requestOf(`${path}: ${span}`, method, target)];
  }),
);

/** Requests that a shell sends with `curl`. */
const sent = blocksOf('sh').flatMap(({ at, code }) =>
  [
    ...code.replace(/\\\n/g, ' ').matchAll(/curl [^\n]*?(?:\$BASE|http:\/\/127\.0\.0\.1:4400)(\/[^\s"']*)([^\n]*)/g),
  ].map(([line, target = '', rest = '']) => {
    const method = /-X (\w+)/.exec(line)?.[1] ?? (/ -d /.test(` ${line}${rest}`) ? 'POST' : 'GET');
    return requestOf(`${at}: ${line}`, method, target);
  }),
);

const isVariable = (segment: string): boolean => /^[{$<]/.test(segment);

/** Whether a path of a page, with values or names in braces, is of a template. */
function matches(path: string, template: string): boolean {
  const [given, wanted] = [path.split('/'), template.split('/')];
  return (
    given.length === wanted.length &&
    given.every((segment, at) => segment === wanted[at] || (isVariable(wanted[at] ?? '') && isVariable(segment)))
  );
}

/** The operations of a path. A page may leave out its beginning: `/runs/{id}/pause`, `/resume`. */
function operationsOf({ method, path }: Request): Operation[] {
  const templates = Object.keys(paths).filter(
    (template) => matches(path, template) || (method === undefined && template.endsWith(path)),
  );
  const operations = templates.flatMap((template) => Object.entries(paths[template] ?? {}));
  return operations.filter(([verb]) => method === undefined || verb === method.toLowerCase()).map(([, each]) => each);
}

/** Files, and paths of other services. */
const isElsewhere = ({ path }: Request): boolean =>
  /^\/(var|dev|proc|etc|tmp|usr|home|opt|path|run|v1)(\/|$)/.test(path);
const isOtherDoor = ({ path }: Request): boolean =>
  otherDoors.some((door) => path === door || /^[_/]/.test(path.startsWith(door) ? path.slice(door.length) : ''));

describe('the requests of the pages', () => {
  const requests = [...named, ...sent].filter((request) => !isElsewhere(request) && !isOtherDoor(request));

  it('have a route in the OpenAPI document', () => {
    expect(named.length).toBeGreaterThan(80);
    expect(sent.length).toBeGreaterThan(15);
    expect(requests.filter((request) => operationsOf(request).length === 0)).toEqual([]);
  });

  it('have only query parameters that their route takes', () => {
    const unknown = requests.flatMap((request) => {
      const taken = operationsOf(request).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name));
      return request.parameters.filter((name) => !taken.includes(name)).map((name) => `${request.at}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

describe('the documents of the pages', () => {
  it.each(blocksOf('graphql'))('$at is valid in the schema', ({ code }) => {
    expect(validate(schema, parse(code)).map(({ message }) => message)).toEqual([]);
  });

  it.each(blocksOf('json'))('$at is JSON', ({ code }) => {
    expect(() => JSON.parse(code)).not.toThrow();
  });

  it.each(blocksOf('yaml'))('$at is YAML', ({ code }) => {
    expect(() => parseYaml(code)).not.toThrow();
  });

  it('name arguments that their field has, as in `runs(filter, first)`', () => {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const page = pages.find(({ path }) => path === 'docs/reference/graphql.md');
    const calls = (page?.spans ?? []).flatMap((span) => {
      const [, name = '', list = ''] = /^(\w+)\((\w+(?:, \w+)*)\)$/.exec(span) ?? [];
      const field = roots.map((root) => root?.getFields()[name]).find((each) => each !== undefined);
      return field === undefined ? [] : [{ span, given: list.split(', '), taken: field.args.map((each) => each.name) }];
    });
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.filter(({ given, taken }) => given.some((name) => !taken.includes(name)))).toEqual([]);
  });
});
