import { GitCompareArrows } from 'lucide-react';
import type { ReactNode } from 'react';
import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import { Answer, Badge, Panel, Stack, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { GoneRunners, LiveRunners } from '../runners/RunnerTables.tsx';
import { runnersDocument } from '../runners/runnerDocuments.ts';
import { splitRunners } from '../runners/runnerGroups.ts';
import styles from './Workflows.module.css';

interface WorkflowRunnersProps {
  workflow: NonNullable<WorkflowQuery['workflow']>;
}

/** The runners that serve one workflow. Others of its app may lack it, as during a deploy. */
export function WorkflowRunners({ workflow: { app, name } }: WorkflowRunnersProps): ReactNode {
  const read = useRead(runnersDocument, { app }, { pollMs: 10_000 });
  return (
    <Answer read={read} skeleton={{ rows: 4 }}>
      {({ runners }) => {
        const { live, gone } = splitRunners(runners, name);
        const ofApp = splitRunners(runners).live.length;
        return (
          <Stack>
            {live.length > 0 && live.length < ofApp && (
              <Panel title="Runners differ" hasHiddenTitle>
                <p className={styles['note']}>
                  <Badge tone="hold" icon={GitCompareArrows}>
                    runners differ
                  </Badge>
                  <span>
                    {live.length} of {ofApp} live runners of {visibleText(app)} serve it. A deploy may be under way.
                  </span>
                  <PageLink to={['runners']} search={{ app }}>
                    All runners of {visibleText(app)}
                  </PageLink>
                </p>
              </Panel>
            )}
            <LiveRunners runners={live} isOfWorkflow />
            <GoneRunners runners={gone} isOfWorkflow />
          </Stack>
        );
      }}
    </Answer>
  );
}
