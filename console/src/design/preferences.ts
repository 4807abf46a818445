import { useSyncExternalStore } from 'react';
import type { Zone } from './formatTime.ts';

/** What a person sets for this browser. */
export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  zone: Zone;
  density: 'dense' | 'roomy';
  hasShortcuts: boolean;
}

const place = 'holdfast.preferences';
const initial: Preferences = { theme: 'system', zone: 'local', density: 'dense', hasShortcuts: true };

let current = read();
const listeners = new Set<() => void>();

function read(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? '{}');
    return { ...initial, ...(typeof stored === 'object' ? stored : {}) };
  } catch {
    return initial;
  }
}

/** Changes some preferences, keeps them for this browser, and shows them. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(place, JSON.stringify(current));
  } catch {
    // A browser without storage keeps them until the page is left.
  }
  showPreferences();
  for (const each of listeners) each();
}

/** Puts theme and density onto the document, where `tokens.css` finds them. */
export function showPreferences(): void {
  document.documentElement.dataset['theme'] = current.theme;
  document.documentElement.dataset['density'] = current.density;
}

export const preferences = (): Preferences => current;

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
