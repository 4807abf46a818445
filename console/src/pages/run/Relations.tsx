import type { ReactNode } from 'react';
import type { RelatedRunFragment } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Cell,
  Duration,
  Empty,
  Head,
  isFinal,
  Panel,
  Status,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { relationsDocument } from './runDocuments.ts';
import styles from './StepPanel.module.css';
import type { RunHead } from './useRun.ts';

/** What the run belongs to: event, parent, children, replays, approvals, deliveries. */
export function Relations({ run }: { run: RunHead }): ReactNode {
  const read = useRead(relationsDocument, { id: run.id }, { pollMs: run.endedAt ? undefined : 5_000 });
  return (
    <Answer read={read} skeleton={{ rows: 4 }}>
      {({ run: related }) => {
        if (!related) return null;
        const {
          parent,
          root,
          original,
          failureHandler,
          startedRuns,
          children,
          replays,
          events,
          approvals,
          deliveries,
        } = related;
        const above = [root?.id === parent?.id ? undefined : root, parent, original].filter((each) => each != null);
        const lists = [
          above,
          failureHandler ? [failureHandler] : [],
          startedRuns,
          children,
          replays,
          events,
          approvals,
          deliveries,
        ];
        const isAlone = lists.every(({ length }) => length === 0);
        if (isAlone)
          return <Empty title="The run stands alone: no event, parent, child, replay, approval or delivery" />;
        return (
          <div className={styles['content']}>
            <RunsPanel title="Root, parent and original" runs={above} />
            {failureHandler && <RunsPanel title="Handler of its failure" runs={[failureHandler]} />}
            <RunsPanel title="Children" runs={children} all={{ parent: run.id }} />
            <RunsPanel title="Replays and retries" runs={replays} all={{ replay: run.id }} />
            <RunsPanel title="Runs that its events started" runs={startedRuns} />
            <LinksPanel
              title="Events that started it"
              links={events.map(({ id, name, receivedAt }) => ({
                id,
                label: name,
                to: ['events', id],
                at: receivedAt,
              }))}
            />
            <LinksPanel
              title="Approvals"
              links={approvals.map(({ id, tool, status, requestedAt }) => ({
                id,
                label: tool,
                status,
                to: ['approvals', id],
                at: requestedAt,
              }))}
            />
            <LinksPanel
              title="Webhook deliveries"
              links={deliveries.map(({ id, url, status, createdAt }) => ({
                id,
                label: url,
                status,
                to: ['webhooks', 'deliveries', id],
                at: createdAt,
              }))}
            />
          </div>
        );
      }}
    </Answer>
  );
}

interface RunsPanelProps {
  title: string;
  runs: readonly RelatedRunFragment[];
  /** The filter of the list that shows all of them. */
  all?: Record<string, unknown>;
}

function RunsPanel({ title, runs, all }: RunsPanelProps): ReactNode {
  if (runs.length === 0) return null;
  return (
    <Panel
      title={title}
      isFlush
      actions={
        all && (
          <PageLink to={['runs']} search={all}>
            All in the list
          </PageLink>
        )
      }
    >
      <Table
        label={title}
        isCards
        head={
          <>
            <Head width="9.5rem">Status</Head>
            <Head>Workflow</Head>
            <Head>Started</Head>
            <Head isNumber>Duration</Head>
          </>
        }
      >
        {runs.map((run) => (
          <tr key={run.id}>
            <Cell>
              <Status status={run.status} />
            </Cell>
            <Cell>
              <PageLink to={['runs', run.id]}>{visibleText(run.workflow)}</PageLink>
            </Cell>
            <Cell>
              <Time at={run.startedAt ?? run.createdAt} />
            </Cell>
            <Cell isNumber>
              <Duration ms={run.durationMs} since={isFinal(run.status) ? undefined : run.startedAt} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

interface RelatedLink {
  id: string;
  label: string;
  to: readonly string[];
  at: string;
  status?: string;
}

function LinksPanel({ title, links }: { title: string; links: readonly RelatedLink[] }): ReactNode {
  if (links.length === 0) return null;
  return (
    <Panel title={title} isFlush>
      <Table
        label={title}
        isCards
        head={
          <>
            <Head>Name</Head>
            <Head>Status</Head>
            <Head>Time</Head>
          </>
        }
      >
        {links.map(({ id, label, to, at, status }) => (
          <tr key={id}>
            <Cell>
              <PageLink to={to}>{visibleText(label)}</PageLink>
            </Cell>
            <Cell>{status && <Status status={status} />}</Cell>
            <Cell>
              <Time at={at} form="both" />
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
