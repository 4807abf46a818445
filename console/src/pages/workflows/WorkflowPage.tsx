import { getRouteApi } from '@tanstack/react-router';
import { ListTree, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Columns,
  Countdown,
  Duration,
  Empty,
  Facts,
  Head,
  isFinal,
  PageHead,
  Panel,
  Stack,
  Status,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { policySentences, triggerText } from './policySentences.ts';
import styles from './Workflows.module.css';
import { workflowDocument, workflowRunsDocument } from './workflowDocuments.ts';

const route = getRouteApi('/p/$project/workflows/$app/$name');

type Definition = NonNullable<WorkflowQuery['workflow']>;

/**
 * One workflow: what starts it, its policies as sentences, its schedules, versions and latest runs.
 */
export default function WorkflowPage(): ReactNode {
  const { app, name } = route.useParams();
  useTitle(visibleText(name));
  const read = useRead(workflowDocument, { app, name }, { pollMs: 30_000 });
  return (
    <Answer
      read={read}
      skeleton={{ rows: 6, height: '3rem' }}
      isEmpty={({ workflow }) => workflow === null}
      empty={<Empty title={`No workflow “${visibleText(name)}” of ${visibleText(app)} is registered`} />}
    >
      {({ workflow }) => workflow && <Content workflow={workflow} />}
    </Answer>
  );
}

function Content({ workflow }: { workflow: Definition }): ReactNode {
  const go = useGo();
  const { app, name, triggers, cancelOn, steps } = workflow;
  return (
    <Stack>
      <PageHead
        above={
          <>
            <PageLink to={['workflows']}>Workflows</PageLink> / {visibleText(app)}
          </>
        }
        title={visibleText(name)}
        beside={workflow.retiredAt && <Badge title={workflow.retiredBy ?? undefined}>retired</Badge>}
        actions={
          <>
            <Button icon={ListTree} onClick={() => go(['runs'], { app, workflow: name })}>
              Its runs
            </Button>
            <Button
              icon={Play}
              kind="primary"
              refusal={useRefusal('start')}
              onClick={() => go(['workflows', app, name, 'trigger'])}
            >
              Start a run
            </Button>
          </>
        }
      />
      <Facts
        facts={[
          ['Registered', <Time key="r" at={workflow.registeredAt} />],
          ['Changed', <Time key="u" at={workflow.updatedAt} form="both" />],
          ['Version', <code key="v">{workflow.version.slice(0, 12)}</code>],
          [
            'Held back now',
            <PageLink key="f" to={['flow']} search={{ app, workflow: name }}>
              Its limits
            </PageLink>,
          ],
          [
            'Served by',
            <PageLink key="s" to={['runners']} search={{ app, workflow: name }}>
              Its runners
            </PageLink>,
          ],
        ]}
      />
      <Columns>
        <Stack>
          <LatestRuns app={app} name={name} />
          {steps && steps.length > 0 && (
            <Panel title="Steps that it declares" isFlush>
              <Table
                label="Steps"
                head={
                  <>
                    <Head>Step</Head>
                    <Head>Description</Head>
                  </>
                }
              >
                {steps
                  .filter(({ hidden }) => !hidden)
                  .map((step) => (
                    <tr key={step.name}>
                      <Cell>{visibleText(step.name)}</Cell>
                      <Cell>{step.description && visibleText(step.description)}</Cell>
                    </tr>
                  ))}
              </Table>
            </Panel>
          )}
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
          <Versions workflow={workflow} />
        </Stack>
      </Columns>
    </Stack>
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

function Versions({ workflow }: { workflow: Definition }): ReactNode {
  return (
    <Panel title="Versions" isFlush>
      <Table
        label="Versions"
        head={
          <>
            <Head>Version</Head>
            <Head>Registered</Head>
          </>
        }
      >
        {workflow.versions.map(({ version, registeredAt }) => (
          <tr key={version}>
            <Cell>
              <PageLink to={['runs']} search={{ app: workflow.app, workflow: workflow.name, version }}>
                {version.slice(0, 12)}
              </PageLink>
            </Cell>
            <Cell>
              <Time at={registeredAt} form="both" />
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
