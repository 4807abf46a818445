import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, countText, Duration, isFinal, Panel, Status, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './Approvals.module.css';
import { approvalRunDocument } from './approvalDocuments.ts';

/** The run so far: what it did before it asked. */
export function ApprovalRun({ id }: { id: string }): ReactNode {
  const read = useRead(approvalRunDocument, { id });
  return (
    <Panel title="The run so far" actions={<PageLink to={['runs', id]}>Open the run</PageLink>}>
      <Answer read={read} skeleton={{ rows: 3 }}>
        {({ run }) =>
          run && (
            <ol className={styles['steps']}>
              {run.stepPage.nodes.map((step) => (
                <li key={step.id}>
                  <Status status={step.status} isCompact />
                  <PageLink to={['runs', id]} search={{ step: `${step.index}.${step.attempt}` }}>
                    {visibleText(step.name)}
                    {step.attempt > 1 && ` (attempt ${step.attempt})`}
                  </PageLink>
                  <Duration ms={step.durationMs} since={isFinal(step.status) ? undefined : step.startedAt} />
                </li>
              ))}
              {run.stepCount > run.stepPage.nodes.length && (
                <li>
                  <span />
                  <span>{countText(run.stepCount - run.stepPage.nodes.length)} more in the run</span>
                </li>
              )}
            </ol>
          )
        }
      </Answer>
    </Panel>
  );
}
