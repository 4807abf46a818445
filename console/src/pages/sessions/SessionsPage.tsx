import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SessionsQuery } from '../../data/generated/graphql.ts';
import { usePages } from '../../data/queries.ts';
import {
  Answer,
  Cell,
  Code,
  costText,
  countText,
  Empty,
  Filters,
  Head,
  ListEnd,
  NothingMatches,
  PageHead,
  Panel,
  SinceSelect,
  Status,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { instantOf } from '../../router/searchFields.ts';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useTitle } from '../../router/useTitle.ts';
import { sessionsDocument } from './sessionDocuments.ts';
import styles from './sessions.module.css';
import type { SessionsSearch } from './sessionsSearch.ts';

type Session = SessionsQuery['sessionPage']['nodes'][number];

const route = getRouteApi('/p/$project/sessions');
const labels = { app: 'app', since: 'since' };

/** Conversations: runs that share a session, with what they cost. */
export default function SessionsPage(): ReactNode {
  useTitle('Sessions');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: SessionsSearch): void => void navigate({ search: next });
  const byCost = search.sort === 'cost';
  const variables = {
    app: search.app,
    since: instantOf(search.since),
    sort: byCost ? ('COST' as const) : ('LATEST' as const),
  };
  const pages = usePages(sessionsDocument, variables, {
    next: ({ sessionPage: { pageInfo } }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined),
  });
  const sessions = pages.data?.flatMap(({ sessionPage }) => sessionPage.nodes) ?? [];
  const set = setFilters<SessionsSearch>(search, labels, change);
  return (
    <>
      <PageHead title="Sessions" below="Runs that share a session, such as the turns of a conversation." />
      <Filters set={set} onClear={() => change(withoutFilters<SessionsSearch>(search, labels))}>
        <SinceSelect label="Runs created" since={search.since} onChoose={(since) => change({ ...search, since })} />
        <NameFilters search={search} onChange={(names) => change({ ...search, ...names })} by={['app']} />
      </Filters>
      <Panel title="Sessions" hasHiddenTitle isFlush>
        <Answer
          read={pages}
          skeleton={{ rows: 12 }}
          isEmpty={() => sessions.length === 0}
          nothingMatches={set.length > 0 && <NothingMatches title="No session matches these filters" set={set} />}
          empty={byCost ? <Empty title="No session has called a model yet" /> : <NoSessions />}
        >
          {() => (
            <>
              <Table
                label="Sessions of the project"
                isCards
                head={
                  <>
                    <Head>Session</Head>
                    <Head>Workflows</Head>
                    <Head>Runs</Head>
                    <Head
                      isNumber
                      sorted={byCost ? 'desc' : undefined}
                      onSort={() => change({ ...search, sort: 'cost' })}
                    >
                      Cost
                    </Head>
                    <Head isNumber>Tokens</Head>
                    <Head sorted={byCost ? undefined : 'desc'} onSort={() => change({ ...search, sort: undefined })}>
                      Latest run
                    </Head>
                  </>
                }
              >
                {sessions.map((session) => (
                  <Row key={session.session} session={session} />
                ))}
              </Table>
              <ListEnd
                pages={pages}
                shown={sessions.length === 1 ? '1 session' : `${countText(sessions.length)} sessions`}
              />
            </>
          )}
        </Answer>
      </Panel>
    </>
  );
}

function Row({
  session: { session, workflows, runs, byStatus, aiCost, aiTokens, lastRunAt },
}: {
  session: Session;
}): ReactNode {
  const open = runs - byStatus.succeeded - byStatus.failed - byStatus.cancelled;
  return (
    <tr>
      <Cell className={styles['name']}>
        <PageLink to={['sessions', session]}>{visibleText(session)}</PageLink>
      </Cell>
      <Cell className={styles['workflows']}>
        {visibleText(workflows.slice(0, 3).join(', '))}
        {workflows.length > 3 && ` and ${workflows.length - 3} more`}
      </Cell>
      <Cell>
        <span className={styles['counts']}>
          {runs === 1 ? '1 run' : `${countText(runs)} runs`}
          {byStatus.failed > 0 && <Count status="FAILED" count={byStatus.failed} />}
          {byStatus.needsAttention > 0 && <Count status="NEEDS_ATTENTION" count={byStatus.needsAttention} />}
          {open > byStatus.needsAttention && <span className={styles['soft']}>{open} unfinished</span>}
        </span>
      </Cell>
      <Cell isNumber>{costText({ cost: aiCost, calls: aiTokens === null ? 0 : 1 })}</Cell>
      <Cell isNumber name="tokens">
        {countText(aiTokens)}
      </Cell>
      <Cell>
        <Time at={lastRunAt} form="both" />
      </Cell>
    </tr>
  );
}

const Count = ({ status, count }: { status: string; count: number }): ReactNode => (
  <span className={styles['count']}>
    <Status status={status} isCompact /> {countText(count)}
  </span>
);

function NoSessions(): ReactNode {
  return (
    <Empty title="There is no session yet">
      <p>Events with the same `session` make one:</p>
      <Code
        what="command"
        text={`curl -X POST ${location.origin}/events -H "Authorization: Bearer $HOLDFAST_API_KEY" \\\n  -H "Content-Type: application/json" -d '{"name": "hello", "session": "conversation-1", "data": {}}'`}
      />
    </Empty>
  );
}
