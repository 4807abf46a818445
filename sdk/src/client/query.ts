import { asDeclared } from '../json/asDeclared.ts';
import type { Api, CallOptions } from './api.ts';
import { isList } from './shapes.ts';

/** An instant as the service takes it. */
export const instantOf = (at: Date | string | undefined): string | undefined =>
  at instanceof Date ? at.toISOString() : at;

/** The parameters that select runs by their tags. */
export const tagParameters = (tags: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tag.${key}`, value]));

/** Iterates over the rows of a list, and fetches pages as the loop advances. */
export async function* rowsOf<Row>(
  api: Api,
  path: string,
  query: CallOptions['query'],
): AsyncGenerator<Row, void, undefined> {
  for (let cursor: string | undefined; ; ) {
    const page = await api.get(path, isList, { query: { ...query, cursor } });
    yield* asDeclared<Row[]>(page.body);
    cursor = page.headers.get('x-next-cursor') ?? undefined;
    if (cursor === undefined) return;
  }
}
