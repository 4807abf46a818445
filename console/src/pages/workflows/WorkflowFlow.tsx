import type { ReactNode } from 'react';
import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import { Answer, Code, Empty, Panel, Stack } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { Budgets } from '../flow/Budgets.tsx';
import { Ceiling } from '../flow/Ceiling.tsx';
import { Delays } from '../flow/Delays.tsx';
import { flowDocument } from '../flow/flowDocuments.ts';
import { isIdle } from '../flow/flowFacts.ts';
import { openScope, withScope } from '../flow/flowSearch.ts';
import { OfOneWorkflow } from '../flow/names.tsx';
import { ScopeRuns } from '../flow/ScopeRuns.tsx';
import { Scopes } from '../flow/Scopes.tsx';
import { Shed } from '../flow/Shed.tsx';
import { policySentences } from './policySentences.ts';
import styles from './Workflows.module.css';
import type { WorkflowSearch } from './workflowSearch.ts';

interface WorkflowFlowProps {
  workflow: NonNullable<WorkflowQuery['workflow']>;
  search: WorkflowSearch;
  onChange: (search: WorkflowSearch) => void;
}

/** What the limits of one workflow hold back now, and what they withheld. */
export function WorkflowFlow({ workflow, search, onChange }: WorkflowFlowProps): ReactNode {
  const { app, name } = workflow;
  const read = useRead(flowDocument, { app, workflow: name }, { pollMs: 5_000 });
  const scope = openScope(search);
  return (
    <OfOneWorkflow>
      <Stack>
        <Answer read={read} skeleton={{ rows: 6 }}>
          {({ flowState }) => (
            <Stack>
              {isIdle({ ...flowState, inference: [] }) && <NothingHeld workflow={workflow} />}
              <Scopes scopes={flowState.scopes} onOpen={(each) => onChange(withScope(search, each))} />
              <Delays state={flowState} />
              <Budgets budgets={flowState.budgets} />
              {flowState.concurrency.limit > 0 && <Ceiling ceiling={flowState.concurrency} />}
            </Stack>
          )}
        </Answer>
        <Shed
          search={{ app, workflow: name, shed: search.shed }}
          onChange={({ shed }) => onChange({ ...search, shed })}
        />
        <p className={styles['note']}>
          <PageLink to={['workflows', app, name]} search={{ tab: 'simulate' }}>
            Try other limits
          </PageLink>
          <span>on the starts that came: nothing is changed.</span>
        </p>
      </Stack>
      {scope && <ScopeRuns scope={scope} onClose={() => onChange(withScope(search, undefined))} />}
    </OfOneWorkflow>
  );
}

function NothingHeld({ workflow }: { workflow: WorkflowFlowProps['workflow'] }): ReactNode {
  return (
    <Panel title="Limits" hasHiddenTitle>
      {workflow.flowControl ? (
        <Empty title="Its limits hold back nothing now">
          <ul className={styles['list']}>
            {policySentences(workflow).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Empty>
      ) : (
        <Empty title="It has no limits of its own">
          <p>Fields of its definition set them, such as this one:</p>
          <Code what="definition" text="concurrency: { limit: 5, key: 'region' }" />
        </Empty>
      )}
    </Panel>
  );
}
