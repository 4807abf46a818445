import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, Code, Empty, Filters, NothingMatches, PageHead, Panel, Select, Stack } from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useTitle } from '../../router/useTitle.ts';
import { AppSummaries } from './AppSummaries.tsx';
import { GoneRunners, LiveRunners } from './RunnerTables.tsx';
import { appsDocument, runnersDocument } from './runnerDocuments.ts';
import { splitRunners, summarizeApps } from './runnerGroups.ts';
import type { RunnersSearch } from './runnersSearch.ts';

const labels = { app: 'app', workflow: 'serves' };

const route = getRouteApi('/p/$project/runners');

/** The runners of the project: live ones with their room, then gone ones. */
export default function RunnersPage(): ReactNode {
  useTitle('Runners');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: RunnersSearch): void => void navigate({ search: next });
  const read = useRead(runnersDocument, { app: search.app }, { pollMs: 5_000 });
  const set = setFilters<RunnersSearch>(search, labels, change);
  return (
    <>
      <PageHead title="Runners" />
      <Filters set={set} onClear={() => change(withoutFilters<RunnersSearch>(search, labels))}>
        <AppSelect app={search.app} onChoose={(app) => change({ ...search, app })} />
        <NameFilters search={search} onChange={(names) => change({ ...search, ...names })} by={['workflow']} />
        <Select
          label="Show"
          isBare
          value={search.show ?? ''}
          options={[
            { value: '', label: 'Live and gone' },
            { value: 'live', label: 'Only live' },
            { value: 'gone', label: 'Only gone' },
          ]}
          onChoose={(show) => change({ ...search, show: show || undefined })}
        />
      </Filters>
      <Answer
        read={read}
        skeleton={{ rows: 8 }}
        isEmpty={({ runners }) => !hasRunners(splitRunners(runners, search.workflow))}
        nothingMatches={
          set.length > 0 && (
            <Panel title="Runners" hasHiddenTitle>
              <NothingMatches title="No runner matches these filters" set={set} />
            </Panel>
          )
        }
        empty={<NoRunners />}
      >
        {({ runners }) => {
          const { live, gone } = splitRunners(runners, search.workflow);
          return (
            <Stack>
              {search.show !== 'gone' && <AppSummaries apps={summarizeApps([...live, ...gone])} />}
              {search.show !== 'gone' && <LiveRunners runners={live} />}
              {search.show !== 'live' && <GoneRunners runners={gone} />}
            </Stack>
          );
        }}
      </Answer>
    </>
  );
}

const hasRunners = ({ live, gone }: { live: unknown[]; gone: unknown[] }): boolean => live.length + gone.length > 0;

function AppSelect({
  app,
  onChoose,
}: {
  app: string | undefined;
  onChoose: (app: string | undefined) => void;
}): ReactNode {
  const { data } = useRead(appsDocument, {});
  const names = [...new Set([...(data?.appPage.nodes.map(({ name }) => name) ?? []), ...(app ? [app] : [])])].sort();
  return (
    <Select
      label="App"
      isBare
      value={app ?? ''}
      options={[{ value: '', label: 'All apps' }, ...names.map((name) => ({ value: name, label: name }))]}
      onChoose={(name) => onChoose(name || undefined)}
    />
  );
}

function NoRunners(): ReactNode {
  return (
    <Panel title="Runners" hasHiddenTitle>
      <Empty title="No runner has registered yet">
        <p>A runner is a process of yours that executes workflows. This is one:</p>
        <Code
          what="program"
          text={`import { Holdfast } from '@holdfast/sdk';

const hf = new Holdfast({ app: 'my-app', baseUrl: '${location.origin}', apiKey: process.env.HOLDFAST_API_KEY });
hf.workflow({ id: 'hello', triggers: [{ event: 'hello' }] }, ({ step }) => step.run('greet', () => 'Hello'));
await hf.connect().ready;`}
        />
      </Empty>
    </Panel>
  );
}
