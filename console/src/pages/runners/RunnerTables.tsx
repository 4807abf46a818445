import { type ReactNode, useState } from 'react';
import type { RunnerRowFragment } from '../../data/generated/graphql.ts';
import { Badge, Cell, Head, Meter, Panel, Table, Time, visibleText, webAddress } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './RunnersPage.module.css';
import { sdkOf } from './runnerGroups.ts';

interface RowsProps {
  runners: readonly RunnerRowFragment[];
  /** The page is about one workflow: its app, and the workflows of a runner, are left out. */
  isOfWorkflow?: boolean | undefined;
}

export function LiveRunners({ runners, isOfWorkflow }: RowsProps): ReactNode {
  return (
    <Panel title={`Live (${runners.length})`} isFlush>
      {runners.length === 0 ? (
        <p className={styles['quiet-row']}>No runner is connected now. Runs wait until one is.</p>
      ) : (
        <RunnerTable label="Live runners" runners={runners} isOfWorkflow={isOfWorkflow} />
      )}
    </Panel>
  );
}

/** So many gone runners are drawn at first. */
const firstGone = 50;

export function GoneRunners({ runners, isOfWorkflow }: RowsProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (runners.length === 0) return null;
  const shown = isWhole ? runners : runners.slice(0, firstGone);
  return (
    <Panel title={`Gone (${runners.length})`} isFlush>
      <RunnerTable label="Gone runners" runners={shown} isOfWorkflow={isOfWorkflow} />
      {shown.length < runners.length && (
        <p className={styles['quiet-row']}>
          <button type="button" className={styles['more']} onClick={() => setWhole(true)}>
            Show all {runners.length}
          </button>
        </p>
      )}
    </Panel>
  );
}

function RunnerTable({ label, runners, isOfWorkflow = false }: RowsProps & { label: string }): ReactNode {
  return (
    <Table
      label={label}
      isCards
      head={
        <>
          <Head width={isOfWorkflow ? '14rem' : ''}>Runner</Head>
          {!isOfWorkflow && <Head>App</Head>}
          <Head width={isOfWorkflow ? '10rem' : ''}>Connection</Head>
          <Head width="9rem">Room</Head>
          <Head width={isOfWorkflow ? '16rem' : ''}>SDK</Head>
          {!isOfWorkflow && <Head>Workflows</Head>}
          <Head>Seen</Head>
        </>
      }
    >
      {runners.map((runner) => (
        <Row key={runner.id} runner={runner} isOfWorkflow={isOfWorkflow} />
      ))}
    </Table>
  );
}

function Row({ runner, isOfWorkflow }: { runner: RunnerRowFragment; isOfWorkflow: boolean }): ReactNode {
  const { app, runnerId, url, live, lastSeenAt, registeredAt, runtime, region, language } = runner;
  // A socket has an address of the service's own, such as `conn://…`.
  const address = webAddress(url);
  return (
    <tr>
      <Cell className={styles['runner']}>
        <span className={styles['two']}>
          <span className={styles['name']} title={visibleText(runnerId)}>
            {visibleText(runnerId)}
          </span>
          {address && url !== runnerId && <Address address={address} />}
        </span>
      </Cell>
      {!isOfWorkflow && <Cell>{visibleText(app)}</Cell>}
      <Cell>
        <span className={styles['two']}>
          <span>{wayOf(runner)}</span>
          {region && <span className={styles['beside']}>{visibleText(region)}</span>}
        </span>
      </Cell>
      <Cell>
        <Room runner={runner} />
      </Cell>
      <Cell>
        <span className={styles['two']}>
          <span>{visibleText(sdkOf(runner))}</span>
          <span className={styles['beside']}>{visibleText([language, runtime].filter(Boolean).join(', '))}</span>
        </span>
      </Cell>
      {!isOfWorkflow && (
        <Cell>
          <Served app={app} workflows={runner.workflows} />
        </Cell>
      )}
      <Cell>
        <span className={styles['two']}>
          <Time at={lastSeenAt} form={live ? 'relative' : 'both'} />
          <span className={styles['beside']}>
            first <Time at={registeredAt} form="relative" />
          </span>
        </span>
      </Cell>
    </tr>
  );
}

/** `Socket`, or the framework that serves its URL. */
const wayOf = ({ transport, framework }: RunnerRowFragment): string =>
  transport === 'CONNECT' ? 'Socket' : visibleText(framework ?? 'HTTP');

function Address({ address }: { address: string }): ReactNode {
  return (
    <span className={styles['beside']} title={visibleText(address)}>
      <a href={address} rel="noopener noreferrer" target="_blank">
        {visibleText(address)}
      </a>
    </span>
  );
}

/**
 * The passes that it executes, of those that it takes at once. A runner behind a URL tells none.
 */
function Room({ runner: { runnerId, live, inFlight, maxInFlight } }: { runner: RunnerRowFragment }): ReactNode {
  if (!live) return <Badge>gone</Badge>;
  if (inFlight === null) return <span>{maxInFlight} at once</span>;
  return <Meter label={`Room of ${runnerId}`} value={inFlight} limit={maxInFlight} warnAtPct={90} />;
}

/** So many names fit into a row. */
const firstNames = 4;

function Served({ app, workflows }: { app: string; workflows: readonly string[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? workflows : workflows.slice(0, firstNames);
  const more = workflows.length - shown.length;
  return (
    <span className={styles['served']}>
      {shown.map((name, index) => (
        <span key={name}>
          <PageLink to={['workflows', app, name]}>{visibleText(name)}</PageLink>
          {index < shown.length - 1 && ','}
        </span>
      ))}
      {more > 0 && (
        <button type="button" className={styles['more']} onClick={() => setWhole(true)}>
          {more} more
        </button>
      )}
      {workflows.length === 0 && 'none'}
    </span>
  );
}
