import type { ReactNode } from 'react';
import { Badge, Cell, Empty, Head, Table, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { type Outcome, outcomeWords } from './outcomes.ts';

/** What became of an event at each workflow that matched. */
export function Outcomes({ outcomes }: { outcomes: readonly Outcome[] }): ReactNode {
  if (outcomes.length === 0) return <Empty title="No workflow matched" />;
  return (
    <Table
      label="Outcomes by workflow"
      head={
        <>
          <Head>Workflow</Head>
          <Head>Outcome</Head>
          <Head>Reason</Head>
          <Head>Run</Head>
        </>
      }
    >
      {outcomes.map((outcome) => {
        const { label, tone, because, runId } = outcomeWords(outcome);
        return (
          <tr key={`${outcome.app} ${outcome.workflow}`}>
            <Cell>
              <PageLink to={['workflows', outcome.app, outcome.workflow]}>{visibleText(outcome.workflow)}</PageLink>
            </Cell>
            <Cell>
              <Badge tone={tone}>{label}</Badge>
            </Cell>
            <Cell>{because}</Cell>
            <Cell>{runId && <PageLink to={['runs', runId]}>{`Run …${runId.slice(-6)}`}</PageLink>}</Cell>
          </tr>
        );
      })}
    </Table>
  );
}
