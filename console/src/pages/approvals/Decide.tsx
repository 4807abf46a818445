import { Check, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { Button, Countdown, Panel, TextField, TroubleNote, visibleText } from '../../design/index.ts';
import { useRefusal } from '../../session/rights.ts';
import type { Approval } from './ApprovalPage.tsx';
import styles from './Approvals.module.css';
import { approvalDocument, approvalRunDocument, decideApprovalDocument } from './approvalDocuments.ts';
import { approvalStatsDocument, approvalsDocument } from './approvalsDocuments.ts';
import { effectOfDeadline } from './approvalWords.ts';
import type { EditedArgs } from './editedArgs.ts';

const refreshes = [approvalDocument, approvalRunDocument, approvalsDocument, approvalStatsDocument] as never;

/** Approve or deny, with a reason, until the deadline. */
export function Decide({ approval, edited }: { approval: Approval; edited: EditedArgs }): ReactNode {
  const [reason, setReason] = useState('');
  const write = useRefusal('write');
  const decide = useAct(decideApprovalDocument, {
    refreshes,
    isQuiet: true,
    done: ({ decideApproval }) => (decideApproval?.approval.status === 'DENIED' ? 'Denied' : 'Approved'),
  });
  const given = reason.trim() ? { reason: reason.trim() } : {};
  const isEdited = edited.kind === 'edited';
  return (
    <Panel title="Decide">
      <div className={styles['decide']}>
        <DeadlineNote approval={approval} />
        {decide.trouble && <TroubleNote trouble={decide.trouble} isNarrow />}
        <TextField
          className={styles['reason']}
          label="Reason"
          hint="Optional. The handler of the run and later readers see it."
          rows={3}
          maxLength={2000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className={styles['buttons']}>
          <Button
            kind="danger"
            icon={X}
            refusal={write}
            isBusy={decide.isBusy}
            onClick={() => decide.act({ input: { id: approval.id, status: 'DENIED', ...given } })}
          >
            Deny
          </Button>
          <Button
            kind="primary"
            icon={Check}
            refusal={write ?? (edited.kind === 'invalid' ? 'the edited arguments are no JSON' : undefined)}
            isBusy={decide.isBusy}
            onClick={() =>
              decide.act({
                input: { id: approval.id, status: 'APPROVED', ...given, ...(isEdited && { args: edited.args }) },
              })
            }
          >
            {isEdited ? 'Approve with edits' : 'Approve'}
          </Button>
        </div>
        {isEdited && <p className={styles['faint']}>A denial ignores the edits.</p>}
      </div>
    </Panel>
  );
}

function DeadlineNote({ approval: { status, expiresAt, onTimeout, escalatesTo } }: { approval: Approval }): ReactNode {
  if (status === 'ESCALATED')
    return (
      <p className={styles['clock']}>
        Its deadline has passed. It waits{escalatesTo && ` for ${visibleText(escalatesTo)}`}, without another deadline.
      </p>
    );
  if (!expiresAt) return <p className={styles['clock']}>It has no deadline: the run waits until somebody decides.</p>;
  return (
    <p className={styles['clock']}>
      <strong>
        <Countdown until={expiresAt} />
      </strong>
      , then {visibleText(effectOfDeadline(onTimeout, escalatesTo))}.
    </p>
  );
}
