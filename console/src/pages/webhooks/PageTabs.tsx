import type { ReactNode } from 'react';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './PageTabs.module.css';

interface PageTabsProps {
  label: string;
  /** The pages; `open` is the name of the present one. */
  tabs: readonly { name: string; label: string; to: readonly string[] }[];
  open: string;
}

/** Links between two lists of one thing, drawn as tabs. */
function PageTabs({ label, tabs, open }: PageTabsProps): ReactNode {
  return (
    <nav aria-label={label} className={styles['tabs']}>
      {tabs.map((tab) => (
        <PageLink
          key={tab.name}
          to={tab.to}
          className={styles['tab']}
          aria-current={tab.name === open ? 'page' : undefined}
        >
          {tab.label}
        </PageLink>
      ))}
    </nav>
  );
}

/** The lists of webhooks that the service sends. */
export const OutTabs = ({ open }: { open: 'endpoints' | 'deliveries' }): ReactNode => (
  <PageTabs
    label="Webhooks out"
    open={open}
    tabs={[
      { name: 'endpoints', label: 'Endpoints', to: ['webhooks', 'endpoints'] },
      { name: 'deliveries', label: 'Deliveries', to: ['webhooks', 'deliveries'] },
    ]}
  />
);

/** The lists of webhooks that the service receives. */
export const InTabs = ({ open }: { open: 'sources' | 'inbound' }): ReactNode => (
  <PageTabs
    label="Webhooks in"
    open={open}
    tabs={[
      { name: 'sources', label: 'Sources', to: ['webhooks', 'sources'] },
      { name: 'inbound', label: 'Messages', to: ['webhooks', 'inbound'] },
    ]}
  />
);
