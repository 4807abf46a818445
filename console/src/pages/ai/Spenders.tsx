import type { ReactNode } from 'react';
import type { SpendersQuery, SpendersQueryVariables } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Cell,
  costText,
  countText,
  Head,
  Panel,
  Status,
  shortId,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './AiPage.module.css';
import { spendersDocument } from './aiDocuments.ts';

type Spenders = SpendersQuery['aiSpend'];

interface SpendersProps {
  variables: SpendersQueryVariables;
  /** Some calls have no price: sums are `at least`. */
  hasUnpriced: boolean;
}

/** The sessions and the runs that cost most. */
export function Spenders({ variables, hasUnpriced }: SpendersProps): ReactNode {
  const read = useRead(spendersDocument, variables);
  const unpriced = hasUnpriced ? 1 : 0;
  return (
    <div className={styles['halves']}>
      <Panel
        title="Sessions by cost"
        isFlush
        actions={
          <PageLink to={['sessions']} search={{ sort: 'cost' }}>
            All sessions
          </PageLink>
        }
      >
        <Answer read={read} skeleton={{ rows: 6 }}>
          {({ aiSpend }) => <Sessions sessions={aiSpend.bySession} unpriced={unpriced} />}
        </Answer>
      </Panel>
      <Panel title="Runs by cost" isFlush>
        <Answer read={read} skeleton={{ rows: 6 }}>
          {({ aiSpend }) => <Runs runs={aiSpend.byRun} unpriced={unpriced} />}
        </Answer>
      </Panel>
    </div>
  );
}

function Sessions({ sessions, unpriced }: { sessions: Spenders['bySession']; unpriced: number }): ReactNode {
  return (
    <Table
      label="The sessions with the highest cost"
      isCards
      head={
        <>
          <Head>Session</Head>
          <Head isNumber>Cost</Head>
          <Head isNumber>Calls</Head>
          <Head isNumber>Tokens</Head>
        </>
      }
    >
      {sessions.map((row) => (
        <tr key={row.session}>
          <Cell className={styles['name']}>
            <PageLink to={['sessions', row.session]}>{visibleText(row.session)}</PageLink>
          </Cell>
          <Cell isNumber className={styles['cost']}>
            {costText(row, unpriced)}
          </Cell>
          <Cell isNumber name="calls">
            {countText(row.calls)}
          </Cell>
          <Cell isNumber name="tokens">
            {countText(row.tokens)}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

function Runs({ runs, unpriced }: { runs: Spenders['byRun']; unpriced: number }): ReactNode {
  return (
    <Table
      label="The runs with the highest cost"
      isCards
      head={
        <>
          <Head>Run</Head>
          <Head>Status</Head>
          <Head isNumber>Cost</Head>
          <Head isNumber>Tokens</Head>
          <Head>Created</Head>
        </>
      }
    >
      {runs.map((row) => (
        <tr key={row.runId}>
          <Cell className={styles['name']}>
            <PageLink to={['runs', row.runId]}>{visibleText(row.run?.workflow ?? shortId(row.runId))}</PageLink>
          </Cell>
          <Cell>{row.run ? <Status status={row.run.status} isCompact /> : 'deleted'}</Cell>
          <Cell isNumber className={styles['cost']}>
            {costText(row, unpriced)}
          </Cell>
          <Cell isNumber name="tokens">
            {countText(row.tokens)}
          </Cell>
          <Cell>
            <Time at={row.run?.createdAt} form="relative" />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
