import { HoldfastConfigError } from './errors.ts';
import { told } from './misuse.ts';

/**
 * What is set for the client, as it goes over the wire. Each throws a `HoldfastConfigError` where
 * it cannot: `fetch` and `ws` would say so too, but late, in words that name neither the option nor
 * a way out.
 */

const example = 'http://127.0.0.1:4400';

/** Without a slash at its end: paths are put behind it. */
export function checkedBaseUrl(given: unknown): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  // Of `localhost:4400`, the host is taken for the scheme.
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new HoldfastConfigError(
      `baseUrl (or HOLDFAST_URL) must be a URL with http:// or https://, such as ${example}; it is ${told(given)}`,
    );
  }
  // The URL itself is not repeated: it may hold a password.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(url.href)) {
    throw new HoldfastConfigError(
      `baseUrl (or HOLDFAST_URL) may hold a host and a path, but no user, password, query or fragment: ${url.origin}`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * A key that was read from a file has the line's end with it: white space around it is left out.
 */
export function checkedKey(given: unknown): string {
  if (typeof given !== 'string') {
    throw new HoldfastConfigError(
      `apiKey (or HOLDFAST_API_KEY) must be a string; it is ${given instanceof Uint8Array ? 'bytes: read the file as utf8' : typeof given}`,
    );
  }
  const key = given.trim();
  if (key === '') throw new HoldfastConfigError('apiKey (or HOLDFAST_API_KEY) holds nothing but white space');
  const [odd] = /[^\x21-\x7e]/u.exec(key) ?? [];
  if (odd === undefined) return key;
  // The key itself is not repeated: this may end in a log.
  throw new HoldfastConfigError(
    `apiKey (or HOLDFAST_API_KEY) holds ${JSON.stringify(odd)}, which no key does. Was it copied in part, or with more around it?`,
  );
}

/**
 * A header is bytes, given as characters of their numbers: a name may hold any character but those
 * that end a header.
 */
export function checkedProject(given: unknown): string {
  if (typeof given === 'string' && given.trim() !== '' && !/\p{Cc}/u.test(given.trim())) {
    return Buffer.from(given.trim()).toString('latin1');
  }
  throw new HoldfastConfigError(
    `project must be the id or the name of a project, without control characters; it is ${told(given)}`,
  );
}
