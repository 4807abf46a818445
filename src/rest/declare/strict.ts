import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../../engine/errors.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import { refuseUnknown } from './fields.ts';
import type { Parameters } from './parameters.ts';
import type { Query } from './query.ts';
import { type Route, strictHeader } from './route.ts';

/** Whether a request refuses what is not declared. Throws `invalid` unless the header is 1 or 0. */
export function wantsStrict(headers: IncomingHttpHeaders): boolean {
  const value = headers[strictHeader.toLowerCase()];
  if (value !== undefined && value !== '0' && value !== '1') throw invalid(`${strictHeader} must be 1 or 0`);
  return value === '1';
}

/** Throws `invalid` for a parameter, or a field of the body, that the route does not declare. */
export function refuseUndeclared({ parameters, body }: Route, query: Query, sent: JsonDocument | undefined): void {
  const names = query.entries.flatMap(([name]) => (isOfFamily(parameters, name) ? [] : [[name, true] as const]));
  refuseUnknown('parameter', Object.fromEntries(names), parameters);
  const values: Record<string, unknown> = Object(sent?.value);
  refuseUnknown('field', values, body?.fields ?? {});
  for (const [name, { of }] of Object.entries(body?.fields ?? {})) {
    const elements = of ? values[name] : undefined;
    if (!of || !Array.isArray(elements)) continue;
    for (const [index, each] of elements.entries()) refuseUnknown('field', Object(each), of, `${name}[${index}]`);
  }
}

/** Whether a parameter `<name>.<key>` is declared by its `<name>`. */
function isOfFamily(parameters: Parameters, name: string): boolean {
  const dot = name.indexOf('.');
  return dot !== -1 && parameters[name.slice(0, dot)]?.family === true;
}
