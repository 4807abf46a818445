/** The search parameters of a page, as the URL has them: texts by name; tags together. */
export type FlatSearch = Record<string, string | Record<string, string>>;

/** Reads `?status=failed&tag.k=v` as `{status: 'failed', tags: {k: 'v'}}`. */
export function parseSearch(text: string): FlatSearch {
  const entries = [...new URLSearchParams(text.startsWith('?') ? text.slice(1) : text)];
  const plain = entries.filter(([name]) => !name.startsWith('tag.'));
  const tags = entries
    .filter(([name]) => name.startsWith('tag.'))
    .map(([name, value]) => [name.slice(4), value] as const);
  return Object.fromEntries<string | Record<string, string>>([
    ...plain,
    ...(tags.length > 0 ? [['tags', Object.fromEntries(tags)] as const] : []),
  ]);
}

/** Writes search parameters so that people can read them. Absent and empty values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) => pairsOf(name, value));
  const text = pairs.map(([name, value]) => `${readable(name)}=${readable(value)}`).join('&');
  return text ? `?${text}` : '';
}

function pairsOf(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null || value === false || value === '') return [];
  if (value === true) return [[name, '1']];
  if (Array.isArray(value)) return value.length > 0 ? [[name, value.join(',')]] : [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).map(([key, each]) => [`tag.${key}`, String(each)]);
}

/** Escapes only what a query string must not have as it is. */
const readable = (text: string): string =>
  encodeURIComponent(text).replace(/%(3A|2F|2C|40|5B|5D|7B|7D|24)/g, (escaped) => decodeURIComponent(escaped));
