import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ApprovalQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { useReadAgain } from '../../data/useReadAgain.ts';
import {
  Badge,
  Columns,
  Empty,
  Facts,
  Id,
  PageHead,
  Panel,
  Stack,
  Status,
  shortId,
  ThingPage,
  Time,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { ApprovalArgs } from './ApprovalArgs.tsx';
import { ApprovalRun } from './ApprovalRun.tsx';
import styles from './Approvals.module.css';
import { approvalDocument, approvalRunDocument } from './approvalDocuments.ts';
import { approvalChangedDocument } from './approvalsDocuments.ts';
import { effectOfDeadline, isOpen, riskTone, surfaceOf } from './approvalWords.ts';
import { Decide } from './Decide.tsx';
import { readEditedArgs } from './editedArgs.ts';

const route = getRouteApi('/p/$project/approvals/$id');

export type Approval = NonNullable<ApprovalQuery['approval']>;

/** One approval: what is asked, what it is about, and the decision. */
export default function ApprovalPage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(approvalDocument, { id });
  const readAgain = useReadAgain([approvalDocument, approvalRunDocument] as never);
  useFollow(
    approvalChangedDocument,
    {},
    {
      onMessage: ({ approvalChanged }) => {
        if (approvalChanged.id === id) readAgain();
      },
      onGap: readAgain,
    },
  );
  useTitle(read.data?.approval ? `Approval of ${visibleText(read.data.approval.tool)}` : 'Approval');
  return (
    <ThingPage
      read={read}
      thingOf={({ approval }) => approval}
      head={(approval) => <ApprovalHead id={id} approval={approval} />}
      missing={
        <Empty title="No approval of this project has this id">
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or it was deleted with its run.
          </p>
        </Empty>
      }
    >
      {(approval) => <Content key={approval.id} approval={approval} />}
    </ThingPage>
  );
}

function ApprovalHead({ id, approval }: { id: string; approval: Approval | null | undefined }): ReactNode {
  const inbox = (
    <PageLink to={['approvals']} search={{ open: '1' }}>
      Approvals
    </PageLink>
  );
  if (!approval) return <PageHead above={inbox} title={`Approval ${visibleText(shortId(id))}`} />;
  const { status, tool, summary, risk, workflow, app } = approval;
  return (
    <PageHead
      above={
        <>
          {inbox} / {visibleText(workflow)}
        </>
      }
      title={visibleText(summary ?? tool)}
      beside={
        <>
          <Status status={status} />
          <Badge tone={riskTone(risk)}>risk: {visibleText(risk)}</Badge>
        </>
      }
      below={
        <>
          <code>{visibleText(tool)}</code> · {visibleText(app)} · requested{' '}
          <Time at={approval.requestedAt} form="both" />
        </>
      }
    />
  );
}

function Content({ approval }: { approval: Approval }): ReactNode {
  const { status, context, policy, workflow } = approval;
  const [draft, setDraft] = useState<string>();
  const [original, setOriginal] = useState('');
  return (
    <Columns>
      <Stack>
        {(context || policy) && (
          <Panel title="What it is about">
            <div className={styles['part']}>
              {context && <p className={styles['text']}>{visibleLines(context)}</p>}
              {policy && (
                <p className={styles['policy']}>
                  <span className={styles['faint']}>Policy</span> {visibleText(policy)}
                </p>
              )}
            </div>
          </Panel>
        )}
        <ApprovalArgs
          approval={approval}
          draft={draft}
          onDraft={(text, from) => {
            setDraft(text);
            setOriginal(from);
          }}
        />
      </Stack>
      <Stack>
        {isOpen(status) ? (
          <Decide approval={approval} edited={readEditedArgs(original, draft)} />
        ) : (
          <Panel title="Decision">
            <Decision approval={approval} />
          </Panel>
        )}
        <Panel title="Request">
          <Facts
            facts={[
              ['Step', visibleText(approval.step)],
              [
                'Run',
                <PageLink key="run" to={['runs', approval.runId]}>
                  {visibleText(workflow)} …{approval.runId.slice(-6)}
                </PageLink>,
              ],
              approval.expiresAt != null && ['Deadline', <Time key="deadline" at={approval.expiresAt} />],
              approval.expiresAt != null && [
                'At the deadline',
                visibleText(effectOfDeadline(approval.onTimeout, approval.escalatesTo)),
              ],
              ['Id', <Id key="id" id={approval.id} what="approval id" />],
            ]}
          />
        </Panel>
        <ApprovalRun id={approval.runId} />
      </Stack>
    </Columns>
  );
}

const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n');

function Decision({ approval }: { approval: Approval }): ReactNode {
  if (!approval.decidedAt) return <p>Nobody decided: the run ended first, or its deadline failed the step.</p>;
  return (
    <div className={styles['part']}>
      <Facts
        facts={[
          ['Decided', <Time key="at" at={approval.decidedAt} form="both" />],
          approval.decidedBy != null && ['By', visibleText(approval.decidedBy)],
          ['How', surfaceOf(approval.decidedVia) || '–'],
          ['Arguments', approval.editedArgsPayload ? 'edited' : 'as proposed'],
        ]}
      />
      {approval.decisionReason && <p className={styles['text']}>{visibleLines(approval.decisionReason)}</p>}
    </div>
  );
}
