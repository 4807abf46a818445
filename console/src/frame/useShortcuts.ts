import { useEffect, useEffectEvent } from 'react';
import { preferences } from '../design/index.ts';
import { useGo } from '../router/PageLink.tsx';
import { useNavigation } from './Navigation.tsx';

interface Commands {
  onSearch: () => void;
  onHelp: () => void;
}

/** How long after `g` the second key may come. */
const patienceMs = 1_200;

/** The shortcuts of all pages: `Ctrl K`, `?`, and `g` with the key of a page. */
export function useShortcuts({ onSearch, onHelp }: Commands): void {
  const go = useGo();
  const groups = useNavigation();
  const press = useEffectEvent((event: KeyboardEvent, isAfterG: boolean): boolean => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      onSearch();
      return false;
    }
    if (!preferences().hasShortcuts || isForOthers(event)) return false;
    if (isAfterG) {
      const entry = groups.flatMap(({ entries }) => entries).find(({ key }) => key === event.key);
      if (entry) go(entry.to, entry.search);
      return false;
    }
    if (event.key === '?') onHelp();
    return event.key === 'g';
  });
  useEffect(() => {
    let gAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      const isG = press(event, event.timeStamp - gAt < patienceMs);
      gAt = isG ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Keys typed into a field, or with a modifier, are no shortcuts. */
function isForOthers(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    target.closest('[role="dialog"]') !== null
  );
}
