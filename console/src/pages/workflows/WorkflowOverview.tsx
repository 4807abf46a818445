import type { ReactNode } from 'react';
import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Cell,
  Columns,
  Countdown,
  Duration,
  Empty,
  Facts,
  Head,
  isFinal,
  Panel,
  Stack,
  Status,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { policySentences, triggerText } from './policySentences.ts';
import styles from './Workflows.module.css';
import { workflowRunsDocument } from './workflowDocuments.ts';

type Definition = NonNullable<WorkflowQuery['workflow']>;

/** The latest runs of a workflow; what starts it, its policies as sentences, its schedules. */
export function WorkflowOverview({ workflow }: { workflow: Definition }): ReactNode {
  const { app, name, triggers, cancelOn } = workflow;
  return (
    <Columns>
      <Stack>
        <LatestRuns app={app} name={name} />
      </Stack>
      <Stack>
        <Panel title="Starts by">
          <ul className={styles['list']}>
            {(triggers ?? []).map((trigger) => (
              <li key={triggerText(trigger)}>{triggerText(trigger)}</li>
            ))}
            {!triggers && <li>its name, as a trigger or an event</li>}
            {cancelOn?.map((trigger) => (
              <li key={`cancel ${trigger.event}`}>cancelled by {triggerText(trigger)}</li>
            ))}
          </ul>
        </Panel>
        <Panel title="Policies">
          <ul className={styles['list']}>
            {policySentences(workflow).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Panel>
        <Schedules workflow={workflow} />
      </Stack>
    </Columns>
  );
}

function LatestRuns({ app, name }: { app: string; name: string }): ReactNode {
  const read = useRead(workflowRunsDocument, { filter: { app, workflow: name } }, { pollMs: 5_000 });
  return (
    <Panel title="Latest runs" isFlush>
      <Answer read={read} isEmpty={({ runs }) => runs.nodes.length === 0} empty={<Empty title="It has not run yet" />}>
        {({ runs }) => (
          <Table
            label="Latest runs"
            isCards
            head={
              <>
                <Head>Status</Head>
                <Head>Run</Head>
                <Head>Started</Head>
                <Head isNumber>Duration</Head>
              </>
            }
          >
            {runs.nodes.map((run) => (
              <tr key={run.id}>
                <Cell>
                  <Status status={run.status} />
                </Cell>
                <Cell>
                  <PageLink to={['runs', run.id]}>{`…${run.id.slice(-8)}`}</PageLink>
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
        )}
      </Answer>
    </Panel>
  );
}

function Schedules({ workflow }: { workflow: Definition }): ReactNode {
  if (!workflow.schedules) return null;
  return workflow.schedules.map(({ cron, isStale, nextFireAt, lastFiredAt, upcoming }) => (
    <Panel key={cron} title={`Schedule ${visibleText(cron)}`} actions={isStale && <Badge tone="bad">late</Badge>}>
      <Facts
        facts={[
          ['Next', <Countdown key="n" until={nextFireAt} />],
          ['Last', <Time key="l" at={lastFiredAt} />],
        ]}
      />
      <ol className={styles['list']}>
        {upcoming.map((at) => (
          <li key={at}>
            <Time at={at} />
          </li>
        ))}
      </ol>
    </Panel>
  ));
}
