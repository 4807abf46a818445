export type Headers = Readonly<Record<string, string>>;

export const jsonType = 'application/json; charset=utf-8';

/** The same few headers on every answer, and more, as the flat list that Node writes fastest. */
export function headersOf(more: Headers | undefined): string[] {
  const headers = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  if (more) for (const [name, value] of Object.entries(more)) headers.push(name, value);
  return headers;
}
