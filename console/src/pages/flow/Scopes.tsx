import type { ReactNode } from 'react';
import { Badge, Button, Cell, countText, Head, Meter, Panel, Table } from '../../design/index.ts';
import styles from './FlowPage.module.css';
import { fullestFirst } from './flowFacts.ts';
import type { Scope } from './flowSearch.ts';
import { ScopeKey, WorkflowCell, WorkflowColumn } from './names.tsx';

interface ScopesProps {
  scopes: readonly (Scope & { inUse: number; limit: number; waiting: number })[];
  onOpen: (scope: Scope) => void;
}

/** The scopes of `concurrency`, the fullest first. */
export function Scopes({ scopes, onOpen }: ScopesProps): ReactNode {
  if (scopes.length === 0) return null;
  return (
    <Panel title="Concurrency" isFlush>
      <Table
        label="Scopes of concurrency"
        isCards
        head={
          <>
            <WorkflowColumn />
            <Head width="12rem">Key</Head>
            <Head width="18rem">In use</Head>
            <Head>Waiting</Head>
            <Head>
              <span className="unseen">Actions</span>
            </Head>
          </>
        }
      >
        {fullestFirst(scopes).map((scope) => (
          <tr key={JSON.stringify([scope.app, scope.workflow, scope.key])}>
            <WorkflowCell {...scope} />
            <Cell className={styles['key']}>
              <ScopeKey value={scope.key} />
            </Cell>
            <Cell>
              <Meter label={`In use: ${scope.workflow} ${scope.key ?? ''}`} value={scope.inUse} limit={scope.limit} />
            </Cell>
            <Cell>
              {scope.waiting > 0 ? (
                <Badge tone="wait">{countText(scope.waiting)} waiting</Badge>
              ) : (
                <span className={styles['beside']}>none waits</span>
              )}
            </Cell>
            <Cell className={styles['action']}>
              <Button kind="quiet" onClick={() => onOpen(scope)}>
                Show runs
              </Button>
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
