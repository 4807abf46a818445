import { invalid } from '../../engine/errors.ts';

/** The decoded parameters of a query string, in the order in which they were sent. */
export class Query {
  readonly entries: readonly (readonly [name: string, value: string])[];

  constructor(entries: readonly (readonly [string, string])[]) {
    this.entries = entries;
  }

  /** The value of a parameter. Throws `invalid` if the parameter is repeated. */
  one(name: string): string | undefined {
    let found: string | undefined;
    for (const [each, value] of this.entries) {
      if (each !== name) continue;
      if (found !== undefined) throw invalid(`${name} is given more than once`);
      found = value;
    }
    return found;
  }
}

const empty = new Query([]);

/**
 * Parses the text after the `?`. Throws `invalid` for percent-encoding that is not UTF-8, and for
 * U+0000.
 */
export function readQuery(search: string): Query {
  if (search === '') return empty;
  const entries: [string, string][] = [];
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    entries.push([decode(name), equals === -1 ? '' : decode(pair.slice(equals + 1))]);
  }
  return new Query(entries);
}

function decode(text: string): string {
  const decoded = decodePart(text.replaceAll('+', ' '));
  if (decoded === undefined) throw invalid('the query string is not valid percent-encoded UTF-8');
  // PostgreSQL cannot store U+0000 in text, so no name contains it.
  if (decoded.includes('\0')) throw invalid('unsupported character in the query string');
  return decoded;
}

/** Decodes a percent-encoded part of a URL; undefined if its encoding is malformed. */
export function decodePart(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
