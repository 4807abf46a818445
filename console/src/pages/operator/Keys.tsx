import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { KeyRowFragment } from '../../data/generated/graphql.ts';
import type { Document } from '../../data/graphql.ts';
import { useAct } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Code,
  Confirm,
  Empty,
  Head,
  Panel,
  type Read,
  serviceNow,
  Table,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { type IssuedKind, IssueKey } from './IssueKey.tsx';
import { isEnded, stateOf, toneOf, workingFirst } from './keyStates.ts';
import styles from './operator.module.css';
import { revokeKeyDocument } from './operatorDocuments.ts';

interface KeysProps {
  title: string;
  read: Read<KeyRowFragment[]>;
  /** The kinds that can be issued here. */
  kinds: readonly [IssuedKind, ...IssuedKind[]];
  projectId?: string;
  refreshes: readonly Document<unknown, never>[];
  children: ReactNode;
}

/** Keys with their hints and last uses; new ones are issued, and present ones revoked. */
export function Keys({ title, read, kinds, projectId, refreshes, children }: KeysProps): ReactNode {
  const [isIssuing, setIssuing] = useState(false);
  const [revoking, setRevoking] = useState<KeyRowFragment>();
  const now = serviceNow();
  return (
    <Panel
      title={title}
      isFlush
      actions={
        <Button icon={KeyRound} onClick={() => setIssuing(true)}>
          Issue a key
        </Button>
      }
    >
      <p className={styles['note']}>{children}</p>
      <Answer
        read={read}
        skeleton={{ rows: 4 }}
        isEmpty={(keys) => keys.length === 0}
        empty={
          <Empty title="There is no key yet">
            <p>Issue one here, or by this command:</p>
            <Code what="command" text={`npx holdfast keys create --name "ada, console" --expires 30d`} />
          </Empty>
        }
      >
        {(keys) => (
          <Table
            label={`${title}, those that work first`}
            isCards
            head={
              <>
                <Head>Name</Head>
                <Head>Kind</Head>
                <Head>Key</Head>
                <Head>State</Head>
                <Head>Last used</Head>
                <Head>Ends</Head>
                <Head>Issued</Head>
                <Head>
                  <span className="unseen">Actions</span>
                </Head>
              </>
            }
          >
            {workingFirst(keys, now).map((key) => (
              <Row key={key.id} row={key} now={now} onRevoke={() => setRevoking(key)} />
            ))}
          </Table>
        )}
      </Answer>
      {isIssuing && (
        <IssueKey kinds={kinds} projectId={projectId} refreshes={refreshes} onClose={() => setIssuing(false)} />
      )}
      {revoking && <Revoke row={revoking} refreshes={refreshes} onClose={() => setRevoking(undefined)} />}
    </Panel>
  );
}

function Row({ row, now, onRevoke }: { row: KeyRowFragment; now: number; onRevoke: () => void }): ReactNode {
  const state = stateOf(row, now);
  return (
    <tr>
      <Cell className={styles['key-name']}>{visibleText(row.name)}</Cell>
      <Cell>{wordsOf(row.kind)}</Cell>
      <Cell>
        <code className={styles['soft']}>{visibleText(row.hint)}</code>
      </Cell>
      <Cell>
        <Badge tone={toneOf(state)}>{state}</Badge>
      </Cell>
      <Cell data-before="used" className={styles['named']}>
        {row.lastUsedAt ? <Time at={row.lastUsedAt} form="relative" /> : <span className={styles['soft']}>never</span>}
      </Cell>
      <Cell data-before="ends" className={styles['named']}>
        {row.expiresAt ? <Time at={row.expiresAt} /> : <span className={styles['soft']}>never</span>}
      </Cell>
      <Cell data-before="issued" className={styles['named']}>
        <Time at={row.createdAt} />
      </Cell>
      <Cell className={styles['action']}>
        {!isEnded(row, now) && (
          <Button kind="danger" onClick={onRevoke} aria-label={`Revoke ${visibleText(row.name)}`}>
            Revoke
          </Button>
        )}
      </Cell>
    </tr>
  );
}

function Revoke({
  row,
  refreshes,
  onClose,
}: {
  row: KeyRowFragment;
  refreshes: readonly Document<unknown, never>[];
  onClose: () => void;
}): ReactNode {
  const revoke = useAct(revokeKeyDocument, {
    refreshes,
    isQuiet: true,
    done: () => `Key “${visibleText(row.name)}” revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      title={`Revoke the key “${visibleText(row.name)}”`}
      description={`${row.hint} stops working at once, for good. Whoever uses it needs another one.`}
      verb="Revoke the key"
      act={revoke}
      onConfirm={() => revoke.act({ id: row.id })}
      onClose={onClose}
    />
  );
}
