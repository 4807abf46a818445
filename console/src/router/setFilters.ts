import type { SetFilter } from '../design/Filters.tsx';

/**
 * The filters of a URL by the labels of the page, and how to drop each. Parameters without a label
 * are no filters, such as the sort.
 */
export function setFilters<Search extends Record<string, unknown>>(
  search: Search,
  labels: Partial<Record<keyof Search, string>>,
  onChange: (search: Search) => void,
): SetFilter[] {
  return Object.entries(labels).flatMap(([key, label]): SetFilter[] => {
    const value = search[key];
    const without =
      (rest: unknown): (() => void) =>
      () =>
        onChange({ ...search, [key]: rest });
    if (Array.isArray(value))
      return value.map((each: unknown) => {
        const rest = value.filter((other) => other !== each);
        return { name: String(label), value: wordOf(each), drop: without(rest.length > 0 ? rest : undefined) };
      });
    if (value === undefined || typeof value === 'object') return [];
    return [{ name: String(label), value: wordOf(value), drop: without(undefined) }];
  });
}

const wordOf = (value: unknown): string => (value === true ? 'yes' : String(value).replaceAll('_', ' '));

/** The parameters without those that have a label. */
export const withoutFilters = <Search extends Record<string, unknown>>(
  search: Search,
  labels: Partial<Record<keyof Search, string>>,
): Search => Object.fromEntries(Object.entries(search).filter(([key]) => !Object.hasOwn(labels, key))) as Search;
