import { stringifySearch } from '../../router/searchText.ts';
import type { RunsSearch } from './runsSearch.ts';

/** A name for a query string of the list. */
export interface SavedView {
  name: string;
  search: RunsSearch;
}

export const presets: readonly SavedView[] = [
  { name: 'Failed today', search: { status: ['failed'], since: '24h' } },
  { name: 'Needs attention', search: { status: ['needs_attention'] } },
  { name: 'Waiting longest', search: { status: ['waiting'], sort: 'started', dir: 'asc' } },
  { name: 'Queued longest', search: { status: ['queued'], sort: 'started', dir: 'asc' } },
  { name: 'Paused', search: { status: ['paused'] } },
];

const maxViews = 50;
const placeOf = (project: string): string => `holdfast.views.${project}`;

export function savedViews(project: string): SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(placeOf(project)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (value: unknown): value is SavedView =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string' && 'search' in value;

/** Saves a view under its name; an earlier one of that name is replaced. */
export function saveView(project: string, view: SavedView): void {
  const others = savedViews(project).filter(({ name }) => name !== view.name);
  write(project, [...others, view].slice(-maxViews));
}

export const removeView = (project: string, name: string): void =>
  write(
    project,
    savedViews(project).filter((view) => view.name !== name),
  );

function write(project: string, views: readonly SavedView[]): void {
  try {
    localStorage.setItem(placeOf(project), JSON.stringify(views));
  } catch {
    // Without storage there are no saved views.
  }
}

/** The view whose parameters are those of the page. */
export const viewOf = (search: RunsSearch, views: readonly SavedView[]): SavedView | undefined =>
  views.find((view) => stringifySearch(sorted(view.search)) === stringifySearch(sorted(search)));

const sorted = (search: RunsSearch): Record<string, unknown> =>
  Object.fromEntries(Object.entries(search).sort(([a], [b]) => (a < b ? -1 : 1)));
