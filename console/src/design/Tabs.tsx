import { type KeyboardEvent, type ReactNode, useId } from 'react';
import styles from './Tabs.module.css';

interface TabsProps<Name extends string> {
  /** The open tab; it comes from the URL. */
  open: Name;
  onOpen: (name: Name) => void;
  tabs: readonly { name: Name; label: string; count?: number | undefined }[];
  children: ReactNode;
  label: string;
}

/** A row of tabs with the open one's content below. The arrow keys open the next tab. */
export function Tabs<Name extends string>({ open, onOpen, tabs, children, label }: TabsProps<Name>): ReactNode {
  const id = useId();
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const at = tabs.findIndex(({ name }) => name === open);
    const targets: Record<string, number> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = targets[event.key];
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab || next === undefined) return;
    event.preventDefault();
    onOpen(tab.name);
    event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  return (
    <div>
      <div role="tablist" aria-label={label} className={styles['list']} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab.name === open}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === open ? 0 : -1}
            className={styles['tab']}
            onClick={() => onOpen(tab.name)}
          >
            {tab.label}
            {tab.count !== undefined && <span className={styles['count']}>{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`} className={styles['panel']}>
        {children}
      </div>
    </div>
  );
}
