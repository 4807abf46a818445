import type { ReactNode } from 'react';
import type { FlowQuery } from '../../data/generated/graphql.ts';
import { Cell, Countdown, countText, Head, Panel, shortId, Table, Time, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './FlowPage.module.css';
import { ScopeKey, WorkflowCell, WorkflowColumn } from './names.tsx';

type State = FlowQuery['flowState'];

/**
 * Starts that wait for a time: by throttles, token buckets and buffers; and holders of singletons.
 */
export function Delays({ state }: { state: State }): ReactNode {
  return (
    <>
      <Throttles throttles={state.throttle} />
      <Buckets buckets={state.tokenThrottle} />
      <Buffers buffers={state.buffers} />
      <Singletons singletons={state.singletons} />
    </>
  );
}

function Throttles({ throttles }: { throttles: State['throttle'] }): ReactNode {
  if (throttles.length === 0) return null;
  return (
    <Scoped title="Throttled starts" columns={['Delayed', 'Next start']} rows={throttles}>
      {({ delayed, nextStartAt }) => (
        <>
          <Cell>{countText(delayed)} delayed</Cell>
          <Cell data-before="next start" className={styles['named']}>
            <Countdown until={nextStartAt} />
          </Cell>
        </>
      )}
    </Scoped>
  );
}

function Buckets({ buckets }: { buckets: State['tokenThrottle'] }): ReactNode {
  if (buckets.length === 0) return null;
  return (
    <Scoped title="Token buckets" columns={['Available', 'Next start']} rows={buckets}>
      {({ available, nextStartAt }) => (
        <>
          <Cell>{countText(Math.floor(available))} tokens</Cell>
          <Cell data-before="next start" className={styles['named']}>
            {nextStartAt ? <Countdown until={nextStartAt} /> : 'at once'}
          </Cell>
        </>
      )}
    </Scoped>
  );
}

function Buffers({ buffers }: { buffers: State['buffers'] }): ReactNode {
  if (buffers.length === 0) return null;
  return (
    <Scoped title="Debounces and batches" columns={['Gathered', 'First', 'Starts']} rows={buffers}>
      {({ policy, items, since, dueAt, runner }) => (
        <>
          <Cell>
            {policy === 'BATCH' ? `batch of ${countText(items)}` : 'debounced'}
            {runner && <span className={styles['beside']}> for {visibleText(runner)}</span>}
          </Cell>
          <Cell data-before="first" className={styles['named']}>
            <Time at={since} form="relative" />
          </Cell>
          <Cell data-before="starts" className={styles['named']}>
            <Countdown until={dueAt} />
          </Cell>
        </>
      )}
    </Scoped>
  );
}

function Singletons({ singletons }: { singletons: State['singletons'] }): ReactNode {
  if (singletons.length === 0) return null;
  return (
    <Panel title="Singletons" isFlush>
      <Table
        label="Holders of singletons"
        isCards
        head={
          <>
            <WorkflowColumn />
            <Head>Held by</Head>
            <Head>Since</Head>
          </>
        }
      >
        {singletons.map(({ app, workflow, runId, since }) => (
          <tr key={runId}>
            <WorkflowCell app={app} workflow={workflow} />
            <Cell>
              <PageLink to={['runs', runId]}>
                <code>{shortId(runId)}</code>
              </PageLink>
            </Cell>
            <Cell>
              <Time at={since} form="both" />
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

interface ScopedProps<Row> {
  title: string;
  columns: readonly string[];
  rows: readonly Row[];
  children: (row: Row) => ReactNode;
}

interface ScopedRow {
  app: string;
  workflow: string;
  key: string | null;
  /** Buffers of one key are told apart by these. */
  policy?: string;
  runner?: string | null;
}

/** A table with a row per workflow and key. */
function Scoped<Row extends ScopedRow>({ title, columns, rows, children }: ScopedProps<Row>): ReactNode {
  return (
    <Panel title={title} isFlush>
      <Table
        label={`${title}, by workflow`}
        isCards
        head={
          <>
            <WorkflowColumn />
            <Head width="12rem">Key</Head>
            {columns.map((name) => (
              <Head key={name}>{name}</Head>
            ))}
          </>
        }
      >
        {rows.map((row) => (
          <tr key={JSON.stringify([row.app, row.workflow, row.key, row.policy, row.runner])}>
            <WorkflowCell app={row.app} workflow={row.workflow} />
            <Cell className={styles['key']}>
              <ScopeKey value={row.key} />
            </Cell>
            {children(row)}
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
