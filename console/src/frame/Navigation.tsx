import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageLink } from '../router/PageLink.tsx';
import { useSession } from '../session/session.ts';
import styles from './Navigation.module.css';
import { type NavigationEntry, navigation, operatorEntry } from './navigation.ts';

/** The groups of pages that this build has and the key may open. */
export function useNavigation(): typeof navigation {
  const router = useRouter();
  const { viewer } = useSession();
  if (!viewer?.project) return [];
  // The overview is the root of the project's pages.
  const isThere = ({ to }: NavigationEntry): boolean =>
    to.length === 0 || Object.hasOwn(router.routesByPath, ['/p/$project', ...to].join('/'));
  return navigation
    .map(({ title, entries }) => ({ title, entries: entries.filter(isThere) }))
    .filter(({ entries }) => entries.length > 0);
}

export function Navigation({ onChoose }: { onChoose?: () => void }): ReactNode {
  const groups = useNavigation();
  const router = useRouter();
  const { viewer } = useSession();
  const hasOperatorPages = viewer?.kind === 'OPERATOR' && Object.hasOwn(router.routesByPath, operatorEntry.path);
  return (
    <nav className={styles['navigation']} aria-label="Pages">
      {groups.map(({ title, entries }) => (
        <div key={title} className={styles['group']}>
          <p className={styles['title']}>{title}</p>
          <ul>
            {entries.map(({ label, to, search = {}, icon: Icon }) => (
              <li key={label}>
                <PageLink
                  to={to}
                  search={search}
                  isExact={to.length === 0}
                  className={styles['entry']}
                  onClick={onChoose}
                >
                  <Icon size={16} aria-hidden />
                  {label}
                </PageLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {hasOperatorPages && (
        <div className={styles['group']}>
          <p className={styles['title']}>Operator</p>
          <Link to={operatorEntry.path as string} className={styles['entry']} onClick={onChoose}>
            <operatorEntry.icon size={16} aria-hidden />
            {operatorEntry.label}
          </Link>
        </div>
      )}
    </nav>
  );
}
