import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useKnownNames } from '../../data/knownNames.ts';
import { useRead } from '../../data/queries.ts';
import { Answer, Filters, NothingMatches, PageHead, Panel, Select, Stack } from '../../design/index.ts';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useTitle } from '../../router/useTitle.ts';
import { Budgets } from './Budgets.tsx';
import { Ceiling } from './Ceiling.tsx';
import { Delays } from './Delays.tsx';
import { flowDocument } from './flowDocuments.ts';
import { isIdle } from './flowFacts.ts';
import { type FlowSearch, openScope, withScope } from './flowSearch.ts';
import { Lanes } from './Lanes.tsx';
import { NoFlow } from './NoFlow.tsx';
import { ScopeRuns } from './ScopeRuns.tsx';
import { Scopes } from './Scopes.tsx';
import { Shed } from './Shed.tsx';

const route = getRouteApi('/p/$project/flow');
const labels = { app: 'app', workflow: 'workflow' };

/** What flow control holds back now, and until when. */
export default function FlowPage(): ReactNode {
  useTitle('Flow');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: FlowSearch): void => void navigate({ search: next });
  const { app, workflow } = search;
  const read = useRead(flowDocument, { app, workflow }, { pollMs: 3_000 });
  const set = setFilters<FlowSearch>(search, labels, change);
  const scope = openScope(search);
  return (
    <>
      <PageHead title="Flow" below="What the limits of workflows hold back now." />
      <Filters set={set} onClear={() => change(withoutFilters<FlowSearch>(search, labels))}>
        <WorkflowSelect search={search} onChange={change} />
      </Filters>
      <Stack>
        <Answer
          read={read}
          skeleton={{ rows: 10 }}
          isEmpty={({ flowState }) => isIdle(flowState)}
          nothingMatches={
            set.length > 0 && (
              <Panel title="Flow" hasHiddenTitle>
                <NothingMatches title="Nothing is held back for these filters" set={set} />
              </Panel>
            )
          }
          empty={<NoFlow />}
        >
          {({ flowState }) => (
            <Stack>
              <Ceiling ceiling={flowState.concurrency} />
              <Scopes scopes={flowState.scopes} onOpen={(each) => change(withScope(search, each))} />
              <Delays state={flowState} />
              <Budgets budgets={flowState.budgets} />
              <Lanes lanes={flowState.inference} />
            </Stack>
          )}
        </Answer>
        <Shed search={search} onChange={change} />
      </Stack>
      {scope && <ScopeRuns scope={scope} onClose={() => change(withScope(search, undefined))} />}
    </>
  );
}

function WorkflowSelect({
  search,
  onChange,
}: {
  search: FlowSearch;
  onChange: (search: FlowSearch) => void;
}): ReactNode {
  const options = (names: readonly string[], present: string | undefined, all: string) => [
    { value: '', label: all },
    ...[...new Set([...names, ...(present ? [present] : [])])].sort().map((name) => ({ value: name, label: name })),
  ];
  const { app, workflow } = search;
  const { apps, workflows } = useKnownNames(app);
  return (
    <>
      <Select
        label="App"
        isBare
        value={app ?? ''}
        options={options(apps, app, 'All apps')}
        onChoose={(value) => onChange({ ...search, app: value || undefined })}
      />
      <Select
        label="Workflow"
        isBare
        value={workflow ?? ''}
        options={options(workflows, workflow, 'All workflows')}
        onChoose={(value) => onChange({ ...search, workflow: value || undefined })}
      />
    </>
  );
}
