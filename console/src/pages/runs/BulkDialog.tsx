import { type ReactNode, useMemo, useState } from 'react';
import type { BulkPreviewFieldsFragment } from '../../data/generated/graphql.ts';
import { graphql } from '../../data/graphql.ts';
import { useAct, useRead } from '../../data/queries.ts';
import {
  Answer,
  Button,
  Confirm,
  countText,
  Status,
  Time,
  tell,
  useTypedCount,
  visibleText,
} from '../../design/index.ts';
import styles from './BulkDialog.module.css';
import { bulkInput, countedStatuses } from './bulk.ts';
import { runsDocument } from './runsDocuments.ts';
import { type RunsSearch, runFilterOf } from './runsSearch.ts';

export type BulkKind = 'replay' | 'cancel';

const replayPreviewDocument = graphql(`
  query BulkReplayPreview($input: BulkReplayRunsInput!) {
    preview: bulkReplayPreview(input: $input) {
      ...BulkPreviewFields
    }
  }
  fragment BulkPreviewFields on BulkPreview {
    count
    matched
    skipped
    capped
    until
    byStatus {
      queued
      running
      waiting
      paused
      needsAttention
      succeeded
      failed
      cancelled
    }
    sample {
      id
      workflow
      status
      createdAt
    }
  }
`);

const cancelPreviewDocument = graphql(`
  query BulkCancelPreview($input: BulkCancelRunsInput!) {
    preview: bulkCancelPreview(input: $input) {
      count
      matched
      skipped
      capped
      until
      byStatus {
        queued
        running
        waiting
        paused
        needsAttention
        succeeded
        failed
        cancelled
      }
      sample {
        id
        workflow
        status
        createdAt
      }
    }
  }
`);

const replayDocument = graphql(`
  mutation BulkReplay($input: BulkReplayRunsInput!) {
    done: bulkReplayRuns(input: $input) {
      id
      count: replayed
      matched
      skipped
      failed
      capped
    }
  }
`);

const cancelDocument = graphql(`
  mutation BulkCancel($input: BulkCancelRunsInput!) {
    done: bulkCancelRuns(input: $input) {
      id
      count: cancelled
      matched
      skipped
      failed
      capped
    }
  }
`);

interface BulkDialogProps {
  kind: BulkKind;
  search: RunsSearch;
  /** The chosen runs; if empty, the call acts on all that match. */
  chosen: ReadonlySet<string>;
  onClose: () => void;
  /** The id by which the list shows the runs of the call. */
  onDone: (bulkId: string | undefined) => void;
}

/** Shows what a bulk call would do, and does it when the person confirms. */
export function BulkDialog({ kind, search, chosen, onClose, onDone }: BulkDialogProps): ReactNode {
  const [isFailedOnly, setFailedOnly] = useState(kind === 'replay' && chosen.size === 0 && !search.status);
  const input = useMemo(
    () => bulkInput(runFilterOf(isFailedOnly ? { ...search, status: ['failed'] } : search), chosen),
    [search, chosen, isFailedOnly],
  );
  const replays = useRead(replayPreviewDocument, { input }, { isEnabled: kind === 'replay' });
  const cancels = useRead(cancelPreviewDocument, { input }, { isEnabled: kind === 'cancel' });
  const read = kind === 'replay' ? replays : cancels;
  const preview = read.isOld ? undefined : read.data?.preview;
  const options = {
    refreshes: [runsDocument] as never,
    isQuiet: true,
    onDone: ({ done }: { done?: BulkResult | null }) => {
      tell(resultText(kind, done));
      onDone(done?.id ?? undefined);
    },
  };
  const replay = useAct(replayDocument, options);
  const cancel = useAct(cancelDocument, options);
  const action = kind === 'replay' ? replay : cancel;
  const confirmation = useTypedCount(preview?.count, 'no run would change');
  const verb = kind === 'replay' ? 'Replay' : 'Cancel';
  return (
    <Confirm
      title={chosen.size > 0 ? `${verb} the chosen runs` : `${verb} all matching runs`}
      description={
        kind === 'replay' ? 'Each run starts again with its input.' : 'Unfinished runs end, with their children.'
      }
      verb={preview ? `${verb} ${countText(preview.count)} ${preview.count === 1 ? 'run' : 'runs'}` : verb}
      kind={kind === 'replay' ? 'primary' : 'danger'}
      refusal={confirmation.refusal}
      act={action}
      onConfirm={() => action.act({ input: { ...input, until: preview?.until } })}
      onClose={onClose}
    >
      {isFailedOnly && (
        <p className={styles['note']}>
          Only failed runs. <Button onClick={() => setFailedOnly(false)}>Take every status</Button>
        </p>
      )}
      <Answer read={read}>{({ preview: shown }) => <Preview preview={shown} />}</Answer>
      {confirmation.field}
    </Confirm>
  );
}

interface BulkResult {
  id?: string | null;
  count: number;
  matched: number;
  failed: number;
  capped: boolean;
}

function resultText(kind: BulkKind, done: BulkResult | null | undefined): string {
  if (!done) return 'Done';
  const verb = kind === 'replay' ? 'replayed' : 'cancelled';
  const of = done.capped ? ` of ${countText(done.matched)}` : '';
  const failed = done.failed > 0 ? `, ${countText(done.failed)} failed` : '';
  return `${countText(done.count)}${of} ${verb}${failed}`;
}

function Preview({ preview }: { preview: BulkPreviewFieldsFragment }): ReactNode {
  return (
    <div className={styles['preview']}>
      <p>
        {countText(preview.count)} of {countText(preview.matched)} matching runs
        {preview.capped && ': one call takes the newest 1000'}
        {preview.skipped > 0 && `; ${countText(preview.skipped)} are skipped, as their status does not allow it`}.
      </p>
      <ul className={styles['statuses']}>
        {countedStatuses(preview.byStatus).map(({ status, count }) => (
          <li key={status}>
            <Status status={status} /> {countText(count)}
          </li>
        ))}
      </ul>
      {preview.sample.length > 0 && (
        <ul className={styles['sample']}>
          {preview.sample.slice(0, 5).map((run) => (
            <li key={run.id}>
              <Status status={run.status} isCompact />
              <span className={styles['name']}>{visibleText(run.workflow)}</span>
              <Time at={run.createdAt} form="both" />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
