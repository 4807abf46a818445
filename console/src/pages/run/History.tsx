import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, Cell, Empty, Head, Panel, Table, Time, visibleText, wordsOf } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { historyDocument } from './runDocuments.ts';

/** What people did to the run. */
export function History({ id }: { id: string }): ReactNode {
  const read = useRead(historyDocument, { id });
  return (
    <Panel title="History" hasHiddenTitle isFlush>
      <Answer
        read={read}
        isEmpty={({ controlActions }) => controlActions.nodes.length === 0}
        empty={<Empty title="Nobody has paused, resumed, cancelled or repeated this run" />}
      >
        {({ controlActions }) => (
          <Table
            label="History"
            head={
              <>
                <Head>Action</Head>
                <Head>By</Head>
                <Head>When</Head>
                <Head>Made</Head>
              </>
            }
          >
            {controlActions.nodes.map(({ id: key, action, actor, createdAt, newRunId }) => (
              <tr key={key}>
                <Cell>{wordsOf(action)}</Cell>
                <Cell>{actor ? visibleText(actor) : '–'}</Cell>
                <Cell>
                  <Time at={createdAt} form="both" />
                </Cell>
                <Cell>{newRunId && <PageLink to={['runs', newRunId]}>{`Run …${newRunId.slice(-6)}`}</PageLink>}</Cell>
              </tr>
            ))}
          </Table>
        )}
      </Answer>
    </Panel>
  );
}
