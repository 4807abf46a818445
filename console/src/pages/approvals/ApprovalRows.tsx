import type { ReactNode } from 'react';
import { Badge, Cell, Countdown, Head, Status, Table, Time, visibleText } from '../../design/index.ts';
import { moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import styles from './Approvals.module.css';
import type { ApprovalRow } from './ApprovalsPage.tsx';
import { effectOfDeadline, isOpen, riskTone, surfaceOf } from './approvalWords.ts';

interface ApprovalRowsProps {
  label: string;
  rows: readonly ApprovalRow[];
  /** All are open: the deadline takes the place of the decision. */
  isOpenList?: boolean;
}

/** Approvals as rows; each leads to its page. */
export function ApprovalRows({ label, rows, isOpenList = false }: ApprovalRowsProps): ReactNode {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
    <div onKeyDown={moveRowFocus}>
      <Table
        label={label}
        isCards
        head={
          <>
            {!isOpenList && <Head width="8rem">Status</Head>}
            <Head>Action</Head>
            <Head width="15rem">Workflow</Head>
            {!isOpenList && <Head width="6rem">Risk</Head>}
            <Head width="11rem">Requested</Head>
            <Head width="17rem">{isOpenList ? 'Deadline' : 'Decision'}</Head>
          </>
        }
      >
        {rows.map((row) => (
          <tr key={row.id}>
            {!isOpenList && (
              <Cell>
                <Status status={row.status} />
              </Cell>
            )}
            <Cell className={styles['action']}>
              <RowLink to={['approvals', row.id]}>{visibleText(row.summary ?? row.tool)}</RowLink>
              {row.summary && <span className={styles['tool']}>{visibleText(row.tool)}</span>}
            </Cell>
            <Cell className={styles['soft']}>
              {visibleText(row.workflow)} <span className={styles['faint']}>{visibleText(row.app)}</span>
            </Cell>
            {!isOpenList && (
              <Cell>
                <Badge tone={riskTone(row.risk)}>{visibleText(row.risk)}</Badge>
              </Cell>
            )}
            <Cell className={styles['soft']}>
              <Time at={row.requestedAt} form="both" />
            </Cell>
            <Cell className={styles['soft']}>
              {isOpen(row.status) ? <Deadline row={row} /> : <Decision row={row} />}
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}

function Deadline({ row }: { row: ApprovalRow }): ReactNode {
  if (row.status === 'ESCALATED')
    return <Badge tone="hold">{row.escalatesTo ? `waits for ${visibleText(row.escalatesTo)}` : 'escalated'}</Badge>;
  if (!row.expiresAt) return 'No deadline';
  return (
    <>
      <strong className={styles['deadline']}>
        <Countdown until={row.expiresAt} />
      </strong>
      , then {visibleText(effectOfDeadline(row.onTimeout, row.escalatesTo))}
    </>
  );
}

function Decision({ row }: { row: ApprovalRow }): ReactNode {
  if (!row.decidedAt) return '–';
  return (
    <>
      <Time at={row.decidedAt} form="relative" /> {row.decidedBy && visibleText(row.decidedBy)}{' '}
      {surfaceOf(row.decidedVia)}
    </>
  );
}
