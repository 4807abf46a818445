import { HoldfastConfigError } from './errors.ts';
import { described } from './misuse.ts';

/**
 * Checks the client's options before they are sent. Each check throws a `HoldfastConfigError`.
 * `fetch` and `ws` would fail later, with messages that do not name the option.
 */

const example = 'http://127.0.0.1:4400';

/** Removes trailing slashes, because paths are appended. */
export function checkedBaseUrl(given: unknown): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  // `URL` parses the host of `localhost:4400` as a scheme.
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new HoldfastConfigError(
      `baseUrl (or HOLDFAST_URL) must be a URL with http:// or https://, such as ${example}; it is ${described(given)}`,
    );
  }
  // The message does not repeat the URL, which may hold a password.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(url.href)) {
    throw new HoldfastConfigError(
      `baseUrl (or HOLDFAST_URL) may hold a host and a path, but no user, password, query or fragment: ${url.origin}`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** Trims white space: a key read from a file often ends with a line break. */
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
  // The message does not repeat the key, because messages end up in logs.
  throw new HoldfastConfigError(
    `apiKey (or HOLDFAST_API_KEY) holds ${JSON.stringify(odd)}, which no key does. Was it copied in part, or with more around it?`,
  );
}

/**
 * Encodes the name as UTF-8 bytes for a header. Only characters that would end a header are
 * refused.
 */
export function checkedProject(given: unknown): string {
  if (typeof given === 'string' && given.trim() !== '' && !/\p{Cc}/u.test(given.trim())) {
    return Buffer.from(given.trim()).toString('latin1');
  }
  throw new HoldfastConfigError(
    `project must be the id or the name of a project, without control characters; it is ${described(given)}`,
  );
}
