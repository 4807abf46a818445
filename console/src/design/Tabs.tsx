import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './Tabs.module.css';

interface TabsProps<Name extends string> {
  /** The open tab; it comes from the URL. */
  open: Name;
  onOpen: (name: Name) => void;
  tabs: readonly { name: Name; label: string; count?: number | undefined }[];
  children: ReactNode;
  label: string;
}

/** A row of tabs with the open one's content below. */
export function Tabs<Name extends string>({ open, onOpen, tabs, children, label }: TabsProps<Name>): ReactNode {
  return (
    <Base.Root value={open} onValueChange={(name) => onOpen(name as Name)}>
      <Base.List className={styles['list']} aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.name} value={tab.name} className={styles['tab']}>
            {tab.label}
            {tab.count !== undefined && <span className={styles['count']}>{tab.count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={open} className={styles['panel']} tabIndex={-1}>
        {children}
      </Base.Panel>
    </Base.Root>
  );
}
