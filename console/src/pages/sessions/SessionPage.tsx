import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SessionRunsQuery } from '../../data/generated/graphql.ts';
import { usePages, useRead } from '../../data/queries.ts';
import {
  Answer,
  Button,
  Cell,
  costText,
  countText,
  Duration,
  Empty,
  Facts,
  Head,
  ListEnd,
  PageHead,
  Panel,
  Stack,
  Status,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { AiSteps } from './AiSteps.tsx';
import { sessionDocument, sessionRunsDocument } from './sessionDocuments.ts';
import styles from './sessions.module.css';

type Run = SessionRunsQuery['runs']['nodes'][number];

const route = getRouteApi('/p/$project/sessions/$id');

/** One session: its runs in order, each with its calls of models. */
export default function SessionPage(): ReactNode {
  useTitle('Session');
  const { id } = route.useParams();
  const { run: open } = route.useSearch();
  const navigate = route.useNavigate();
  const read = useRead(sessionDocument, { id });
  const pages = usePages(
    sessionRunsDocument,
    { session: id },
    {
      next: ({ runs: { pageInfo } }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined),
    },
  );
  const runs = pages.data?.flatMap((page) => page.runs.nodes) ?? [];
  return (
    <>
      <PageHead above={<PageLink to={['sessions']}>Sessions</PageLink>} title={visibleText(id)} />
      <Stack>
        <Panel title="Session">
          <Answer
            read={read}
            isEmpty={({ session }) => session === null}
            empty={<Empty title="The project has no such session">{visibleText(id)}</Empty>}
          >
            {({ session }) =>
              session && (
                <Facts
                  facts={[
                    ['Cost', costText({ cost: session.aiCost, calls: session.aiTokens === null ? 0 : 1 })],
                    ['Tokens', countText(session.aiTokens)],
                    ['Runs', countText(session.runs)],
                    ['Workflows', visibleText(session.workflows.join(', '))],
                    ['First run', <Time key="first" at={session.firstRunAt} form="both" />],
                    ['Latest run', <Time key="latest" at={session.lastRunAt} form="both" />],
                  ]}
                />
              )
            }
          </Answer>
        </Panel>
        <Panel title="Runs, oldest first" isFlush>
          <Answer
            read={pages}
            skeleton={{ rows: 8 }}
            isEmpty={() => runs.length === 0}
            empty={<Empty title="No run belongs to it" />}
          >
            {() => (
              <>
                <Table
                  label="Runs of the session"
                  isCards
                  head={
                    <>
                      <Head>Run</Head>
                      <Head>Status</Head>
                      <Head isNumber>Cost</Head>
                      <Head isNumber>Tokens</Head>
                      <Head isNumber>Duration</Head>
                      <Head>Created</Head>
                      <Head>
                        <span className="unseen">Model calls</span>
                      </Head>
                    </>
                  }
                >
                  {runs.map((run) => (
                    <Row
                      key={run.id}
                      run={run}
                      isOpen={run.id === open}
                      onToggle={() =>
                        void navigate({ search: { run: run.id === open ? undefined : run.id }, resetScroll: false })
                      }
                    />
                  ))}
                </Table>
                <ListEnd pages={pages} shown={runs.length === 1 ? '1 run' : `${countText(runs.length)} runs`} />
              </>
            )}
          </Answer>
        </Panel>
      </Stack>
    </>
  );
}

function Row({ run, isOpen, onToggle }: { run: Run; isOpen: boolean; onToggle: () => void }): ReactNode {
  return (
    <>
      <tr>
        <Cell className={styles['name']}>
          <PageLink to={['runs', run.id]}>{visibleText(run.workflow)}</PageLink>
        </Cell>
        <Cell>
          <Status status={run.status} />
        </Cell>
        <Cell isNumber>{run.ai ? costText(run.ai) : '–'}</Cell>
        <Cell isNumber name="tokens">
          {countText(run.ai?.tokens)}
        </Cell>
        <Cell isNumber>
          <Duration ms={run.durationMs} since={run.startedAt} />
        </Cell>
        <Cell>
          <Time at={run.createdAt} form="both" />
        </Cell>
        <Cell className={styles['action']}>
          {run.ai && (
            <Button kind="quiet" aria-expanded={isOpen} onClick={onToggle}>
              {run.ai.calls === 1 ? '1 model call' : `${countText(run.ai.calls)} model calls`}
            </Button>
          )}
        </Cell>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7} className={styles['unfolded']}>
            <AiSteps runId={run.id} />
          </td>
        </tr>
      )}
    </>
  );
}
