import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Answer, Code, Empty, Panel, Tabs, ThingPage, visibleText } from '../../design/index.ts';
import { useTitle } from '../../router/useTitle.ts';
import { History } from './History.tsx';
import { Logs } from './Logs.tsx';
import { Relations } from './Relations.tsx';
import { RunFacts, RunHeadPart } from './RunHead.tsx';
import styles from './RunPage.module.css';
import { RunPayloads } from './RunPayloads.tsx';
import type { RunSearch } from './runSearch.ts';
import { StepPanel } from './StepPanel.tsx';
import { Timeline } from './Timeline.tsx';
import { type RunHead, type RunView, useRun } from './useRun.ts';
import { WaitReasons } from './WaitReasons.tsx';

const route = getRouteApi('/p/$project/runs/$id');

/** One run: why it waits first, then its steps, logs, payloads, relations and history. */
export default function RunPage(): ReactNode {
  const { id } = route.useParams();
  const view = useRun(id);
  useTitle(view.run ? `${visibleText(view.run.workflow)} …${id.slice(-6)}` : 'Run');
  return (
    <ThingPage
      read={view.read}
      thingOf={({ run }) => run}
      head={(run) => <RunHeadPart id={id} run={run} />}
      missing={
        <Empty title="No run of this project has this id">
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or its time has passed and it was deleted.
          </p>
        </Empty>
      }
    >
      {(run) => <Content run={run} view={view} />}
    </ThingPage>
  );
}

function Content({ run, view }: { run: RunHead; view: RunView }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: RunSearch): void => void navigate({ search: next, replace: true, resetScroll: false });
  const tab = search.tab ?? 'timeline';
  return (
    <>
      <RunFacts run={run} />
      <WaitReasons waits={run.waiting} />
      {run.error && (
        <Panel
          title={`${run.error.name ? visibleText(run.error.name) : 'Error'}${run.status === 'CANCELLED' ? ' (cancelled)' : ''}`}
        >
          <Code text={run.error.stack ?? run.error.message} what="error" isWrapped />
        </Panel>
      )}
      <Tabs
        label="Parts of the run"
        open={tab}
        onOpen={(name) => change({ ...search, tab: name === 'timeline' ? undefined : name })}
        tabs={[
          { name: 'timeline', label: 'Timeline', count: run.stepCount },
          { name: 'logs', label: 'Logs' },
          { name: 'payloads', label: 'Input and result' },
          { name: 'relations', label: 'Relations' },
          { name: 'history', label: 'History' },
        ]}
      >
        {tab === 'timeline' && (
          <div className={search.step ? styles['split'] : undefined}>
            <Panel title="Timeline" hasHiddenTitle isFlush>
              <Answer read={view.stepsRead} skeleton={{ rows: 8, height: '2rem' }}>
                {() => (
                  <Timeline run={run} steps={view.steps} search={search} onChange={change} isPartial={view.isPartial} />
                )}
              </Answer>
            </Panel>
            {search.step && (
              <StepPanel
                run={run}
                step={search.step}
                onClose={() => change({ ...search, step: undefined })}
                onStep={(step) => change({ ...search, step })}
                onLogs={(scope) => change({ ...search, tab: 'logs', scope, step: undefined })}
              />
            )}
          </div>
        )}
        {tab === 'logs' && <Logs id={run.id} isLive={run.endedAt == null} search={search} onChange={change} />}
        {tab === 'payloads' && <RunPayloads id={run.id} />}
        {tab === 'relations' && <Relations run={run} />}
        {tab === 'history' && <History id={run.id} />}
      </Tabs>
    </>
  );
}
