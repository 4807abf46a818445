import { createContext, type ReactNode, useContext } from 'react';
import { Cell, Head, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './FlowPage.module.css';

/** A workflow as a link, its app below. */
function WorkflowName({ app, workflow }: { app: string; workflow: string }): ReactNode {
  return (
    <span className={styles['two']}>
      <PageLink to={['workflows', app, workflow]}>{visibleText(workflow)}</PageLink>
      <span className={styles['beside']}>{visibleText(app)}</span>
    </span>
  );
}

const OneWorkflow = createContext(false);

/** The tables within are about one workflow: the column that names it is left out. */
export const OfOneWorkflow = ({ children }: { children: ReactNode }): ReactNode => (
  <OneWorkflow value={true}>{children}</OneWorkflow>
);

export const WorkflowColumn = (): ReactNode => (useContext(OneWorkflow) ? null : <Head width="18rem">Workflow</Head>);

export const WorkflowCell = ({ app, workflow }: { app: string; workflow: string }): ReactNode =>
  useContext(OneWorkflow) ? null : (
    <Cell>
      <WorkflowName app={app} workflow={workflow} />
    </Cell>
  );

/** The value at a policy's key. */
export const ScopeKey = ({ value }: { value: string | null }): ReactNode =>
  value === null ? (
    <span className={styles['beside']}>whole workflow</span>
  ) : (
    <code title={visibleText(value)}>{visibleText(value)}</code>
  );
