import type { ReactNode } from 'react';
import { visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './FlowPage.module.css';

/** A workflow as a link, its app below. */
export function WorkflowName({ app, workflow }: { app: string; workflow: string }): ReactNode {
  return (
    <span className={styles['two']}>
      <PageLink to={['workflows', app, workflow]}>{visibleText(workflow)}</PageLink>
      <span className={styles['beside']}>{visibleText(app)}</span>
    </span>
  );
}

/** The value at a policy's key. */
export const ScopeKey = ({ value }: { value: string | null }): ReactNode =>
  value === null ? (
    <span className={styles['beside']}>whole workflow</span>
  ) : (
    <code title={visibleText(value)}>{visibleText(value)}</code>
  );
