import type { ReactNode } from 'react';
import { Check, Dialog, KeyHint, setPreferences, usePreferences } from '../design/index.ts';
import { useNavigation } from './Navigation.tsx';
import styles from './ShortcutHelp.module.css';

/** The list of all shortcuts, with the switch that turns single keys off. */
export function ShortcutHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const { hasShortcuts } = usePreferences();
  const pages = useNavigation().flatMap(({ entries }) => entries);
  const keys: [keys: string, what: string][] = [
    ['Ctrl K', 'Find a run, an event or a page'],
    ['?', 'Show this list'],
    ['↑ ↓', 'Move in a list or a timeline'],
    ['Enter', 'Open the chosen row'],
    ['Esc', 'Close a dialog or a panel'],
    ...pages.map(({ key, label }): [string, string] => [`g ${key}`, label]),
  ];
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts">
      <dl className={styles['list']}>
        {keys.map(([hint, what]) => (
          <div key={hint}>
            <dt>
              <KeyHint keys={hint} />
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Check
        label="Use shortcuts of single keys"
        checked={hasShortcuts}
        onChange={(event) => setPreferences({ hasShortcuts: event.target.checked })}
      />
    </Dialog>
  );
}
