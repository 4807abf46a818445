import { checkFields } from '../misuse.ts';

/** `Headers` of the Fetch API, or a `Map`. */
interface HeadersLike {
  forEach(visit: (value: string, name: string) => void): void;
}

/**
 * The headers of a request: `Headers`, an object with names in any case (such as Node's
 * `request.headers`), a list of pairs, or a flat list (such as Node's `request.rawHeaders`).
 */
export type WebhookHeaders =
  | HeadersLike
  | readonly (readonly [string, string])[]
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header by its name in lower case. Undefined if it is absent or empty. */
export type HeaderReader = (name: string) => string | undefined;

export function headerReader(headers: WebhookHeaders): HeaderReader {
  if (!Array.isArray(headers)) checkFields(headers, 'verifyWebhook needs the headers of the request');
  const found = new Map<string, string>();
  const add = (value: unknown, name: unknown): void => {
    const key = String(name).toLowerCase();
    const former = found.get(key);
    // A repeated header has one value, as in the Fetch API.
    found.set(key, former === undefined ? String(value) : `${former}, ${value}`);
  };
  visit(headers, add);
  return (name) => found.get(name)?.trim() || undefined;
}

function visit(headers: WebhookHeaders, add: (value: unknown, name: unknown) => void): void {
  if (isList(headers)) {
    const flat = headers.flat();
    for (let at = 0; at + 1 < flat.length; at += 2) add(flat[at + 1], flat[at]);
  } else if (isHeadersLike(headers)) {
    headers.forEach(add);
  } else {
    for (const [name, value] of Object.entries(headers)) for (const each of [value ?? []].flat()) add(each, name);
  }
}

/** Both kinds of lists: pairs are the flat list in pieces. */
const isList = (headers: WebhookHeaders): headers is readonly (string | readonly string[])[] & WebhookHeaders =>
  Array.isArray(headers);

const isHeadersLike = (headers: WebhookHeaders): headers is HeadersLike =>
  'forEach' in headers && typeof headers.forEach === 'function';
