import { getRouteApi } from '@tanstack/react-router';
import { ListTree, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Badge,
  Button,
  countText,
  Empty,
  Facts,
  PageHead,
  Tabs,
  ThingPage,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { flowDocument } from '../flow/flowDocuments.ts';
import { heldBack } from '../flow/flowFacts.ts';
import { runnersDocument } from '../runners/runnerDocuments.ts';
import { splitRunners } from '../runners/runnerGroups.ts';
import { WorkflowDefinition } from './WorkflowDefinition.tsx';
import { WorkflowFlow } from './WorkflowFlow.tsx';
import { WorkflowOverview } from './WorkflowOverview.tsx';
import { WorkflowRunners } from './WorkflowRunners.tsx';
import { WorkflowSimulation } from './WorkflowSimulation.tsx';
import { workflowDocument } from './workflowDocuments.ts';
import type { WorkflowSearch } from './workflowSearch.ts';

const route = getRouteApi('/p/$project/workflows/$app/$name');

const headEveryMs = 30_000;

type Definition = NonNullable<WorkflowQuery['workflow']>;

/** One workflow: how it runs, what holds it back, who serves it, and its definition. */
export default function WorkflowPage(): ReactNode {
  const { app, name } = route.useParams();
  useTitle(visibleText(name));
  const read = useRead(workflowDocument, { app, name }, { pollMs: headEveryMs });
  return (
    <ThingPage
      read={read}
      thingOf={({ workflow }) => workflow}
      head={(workflow) => <WorkflowHead app={app} name={name} workflow={workflow} />}
      missing={<Empty title={`No workflow “${visibleText(name)}” of ${visibleText(app)} is registered`} />}
    >
      {(workflow) => <Content workflow={workflow} />}
    </ThingPage>
  );
}

interface HeadProps {
  app: string;
  name: string;
  /** Null if there is none, undefined while it loads. */
  workflow: Definition | null | undefined;
}

function WorkflowHead({ app, name, workflow }: HeadProps): ReactNode {
  const go = useGo();
  const refusal = useRefusal('start');
  return (
    <PageHead
      above={
        <>
          <PageLink to={['workflows']}>Workflows</PageLink> / {visibleText(app)}
        </>
      }
      title={visibleText(name)}
      beside={workflow?.retiredAt && <Badge title={workflow.retiredBy ?? undefined}>retired</Badge>}
      actions={
        workflow !== null && (
          <>
            <Button icon={ListTree} onClick={() => go(['runs'], { app, workflow: name })}>
              Its runs
            </Button>
            <Button
              icon={Play}
              kind="primary"
              refusal={refusal}
              onClick={() => go(['workflows', app, name, 'trigger'])}
            >
              Start a run
            </Button>
          </>
        )
      }
    />
  );
}

function Content({ workflow }: { workflow: Definition }): ReactNode {
  const { app, name } = workflow;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: WorkflowSearch): void => void navigate({ search: next, replace: true, resetScroll: false });
  // The open tab reads what it shows more often; the head only says what stands there.
  const flow = useRead(flowDocument, { app, workflow: name }, { pollMs: headEveryMs });
  const runners = useRead(runnersDocument, { app }, { pollMs: headEveryMs });
  const live = runners.data && splitRunners(runners.data.runners, name).live.length;
  const held = flow.data && heldBack(flow.data.flowState);
  const tab = search.tab ?? 'overview';
  const part = (to: NonNullable<WorkflowSearch['tab']>, text: string): ReactNode => (
    <PageLink to={['workflows', app, name]} search={{ tab: to }}>
      {text}
    </PageLink>
  );
  return (
    <>
      <Facts
        facts={[
          ['Registered', <Time key="registered" at={workflow.registeredAt} />],
          ['Changed', <Time key="changed" at={workflow.updatedAt} form="both" />],
          ['Version', <code key="version">{workflow.version.slice(0, 12)}</code>],
          ['Held back now', held === undefined ? '…' : part('flow', held === 0 ? 'nothing' : countText(held))],
          ['Served by', live === undefined ? '…' : part('runners', runnersText(live))],
        ]}
      />
      <Tabs
        label="Parts of the workflow"
        open={tab}
        onOpen={(to) => change({ tab: to === 'overview' ? undefined : to })}
        tabs={[
          { name: 'overview', label: 'Overview' },
          { name: 'flow', label: 'Limits', count: held || undefined },
          { name: 'simulate', label: 'Simulate' },
          { name: 'runners', label: 'Runners', count: live },
          { name: 'definition', label: 'Definition' },
        ]}
      >
        {tab === 'overview' && <WorkflowOverview workflow={workflow} />}
        {tab === 'flow' && <WorkflowFlow workflow={workflow} search={search} onChange={change} />}
        {tab === 'simulate' && (
          <WorkflowSimulation
            workflow={workflow}
            ceiling={flow.data?.flowState.concurrency.limit ?? 0}
            search={search}
            onChange={change}
          />
        )}
        {tab === 'runners' && <WorkflowRunners workflow={workflow} />}
        {tab === 'definition' && <WorkflowDefinition workflow={workflow} search={search} onChange={change} />}
      </Tabs>
    </>
  );
}

const runnersText = (live: number): string =>
  live === 0 ? 'no live runner' : live === 1 ? '1 live runner' : `${live} live runners`;
