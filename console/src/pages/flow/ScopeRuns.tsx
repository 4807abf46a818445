import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Cell,
  Dialog,
  Duration,
  Empty,
  Head,
  Status,
  shortId,
  Table,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './FlowPage.module.css';
import { scopeRunsDocument } from './flowDocuments.ts';
import type { Scope } from './flowSearch.ts';

/** The runs that hold a place of a scope, and those that wait for one. */
export function ScopeRuns({ scope, onClose }: { scope: Scope; onClose: () => void }): ReactNode {
  const read = useRead(scopeRunsDocument, { scope: { ...scope, key: scope.key ?? undefined } }, { pollMs: 5_000 });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="sheet"
      title={visibleText(scope.workflow)}
      description={scope.key === null ? 'The whole workflow' : `Key: ${visibleText(scope.key)}`}
    >
      <Answer
        read={read}
        skeleton={{ rows: 8 }}
        isEmpty={({ runs }) => runs.nodes.length === 0}
        empty={<Empty title="No run holds a place, and none waits" />}
      >
        {({ runs }) => {
          const holders = runs.nodes.filter(({ status }) => status === 'RUNNING');
          const others = runs.nodes.filter(({ status }) => status !== 'RUNNING');
          return (
            <div className={styles['groups']}>
              <Runs title="Hold a place" runs={holders} />
              <Runs title="Wait, or will need a place again" runs={others} />
              {runs.pageInfo.hasNextPage && <p>The first 50 are shown.</p>}
            </div>
          );
        }}
      </Answer>
    </Dialog>
  );
}

interface RunLike {
  id: string;
  status: string;
  createdAt: string;
  startedAt: string | null;
}

function Runs({ title, runs }: { title: string; runs: readonly RunLike[] }): ReactNode {
  if (runs.length === 0) return null;
  return (
    <section>
      <h3>
        {title} ({runs.length})
      </h3>
      <Table
        label={title}
        head={
          <>
            <Head>Run</Head>
            <Head>Status</Head>
            <Head isNumber>Since</Head>
          </>
        }
      >
        {runs.map((run) => (
          <tr key={run.id}>
            <Cell>
              <PageLink to={['runs', run.id]}>
                <code>{shortId(run.id)}</code>
              </PageLink>
            </Cell>
            <Cell>
              <Status status={run.status} />
            </Cell>
            <Cell isNumber>
              <Duration since={run.status === 'RUNNING' ? (run.startedAt ?? run.createdAt) : run.createdAt} />
            </Cell>
          </tr>
        ))}
      </Table>
    </section>
  );
}
