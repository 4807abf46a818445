/** The columns of the list. Status and workflow always show. */
export const columns = [
  { name: 'app', label: 'App' },
  { name: 'started', label: 'Started' },
  { name: 'duration', label: 'Duration' },
  { name: 'tags', label: 'Tags' },
  { name: 'error', label: 'Error' },
  { name: 'attempt', label: 'Attempt' },
  { name: 'version', label: 'Version' },
  { name: 'id', label: 'Id' },
] as const;

export type ColumnName = (typeof columns)[number]['name'];

const place = 'holdfast.runs.columns';
const initial: readonly ColumnName[] = ['app', 'started', 'duration', 'tags', 'error'];

/** The columns that a person chose for this browser, in the order of the list. */
export function chosenColumns(): ColumnName[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? 'null');
    if (Array.isArray(stored)) return columns.map(({ name }) => name).filter((name) => stored.includes(name));
  } catch {
    // Unreadable or absent: as at first.
  }
  return [...initial];
}

export function chooseColumns(names: readonly ColumnName[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(names));
  } catch {
    // They last until the page is left.
  }
}
