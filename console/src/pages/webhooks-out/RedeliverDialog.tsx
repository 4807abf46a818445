import { type ReactNode, useMemo, useState } from 'react';
import type { RedeliverPreviewQuery } from '../../data/generated/graphql.ts';
import { useAct, useRead } from '../../data/queries.ts';
import {
  Answer,
  Button,
  Confirm,
  countText,
  Status,
  Time,
  useTypedCount,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { countedStatuses } from '../runs/bulk.ts';
import { deliveriesDocument, redeliverManyDocument, redeliverPreviewDocument } from './deliveriesDocuments.ts';
import { type DeliveriesSearch, redeliverInput } from './deliveriesSearch.ts';
import { endpointStatsDocument } from './endpointsDocuments.ts';
import styles from './WebhooksOut.module.css';

interface RedeliverDialogProps {
  search: DeliveriesSearch;
  chosen: ReadonlySet<string>;
  onClose: () => void;
  onDone: () => void;
}

/** Shows which deliveries a bulk call would attempt again, and attempts them once confirmed. */
export function RedeliverDialog({ search, chosen, onClose, onDone }: RedeliverDialogProps): ReactNode {
  const [isEveryStatus, setEveryStatus] = useState(false);
  const input = useMemo(() => redeliverInput({ search, chosen, isEveryStatus }), [search, chosen, isEveryStatus]);
  const read = useRead(redeliverPreviewDocument, { input });
  const preview = read.isOld ? undefined : read.data?.redeliverPreview;
  const redeliver = useAct(redeliverManyDocument, {
    refreshes: [deliveriesDocument, endpointStatsDocument] as never,
    isQuiet: true,
    done: ({ redeliverWebhooks }) => {
      const { redelivered = 0, matched = 0, capped } = redeliverWebhooks ?? {};
      return `${countText(redelivered)}${capped ? ` of ${countText(matched)}` : ''} on their way again`;
    },
    onDone,
  });
  const confirmation = useTypedCount(preview?.count, 'no delivery would be attempted');
  const isFailedOnly = chosen.size === 0 && !search.status && !isEveryStatus;
  return (
    <Confirm
      title={chosen.size > 0 ? 'Redeliver the chosen deliveries' : 'Redeliver all matching deliveries'}
      description="Each is sent again at once, with the same id and body, and with a new budget of attempts."
      verb={preview ? `Redeliver ${countText(preview.count)}` : 'Redeliver'}
      kind="primary"
      refusal={confirmation.refusal}
      act={redeliver}
      onConfirm={() => redeliver.act({ input: { ...input, until: preview?.until } })}
      onClose={onClose}
    >
      {isFailedOnly && (
        <p className={styles['note']}>
          Only failed, exhausted and dead ones. <Button onClick={() => setEveryStatus(true)}>Take every status</Button>
        </p>
      )}
      <Answer read={read}>{({ redeliverPreview }) => <Preview preview={redeliverPreview} />}</Answer>
      {confirmation.field}
    </Confirm>
  );
}

function Preview({ preview }: { preview: RedeliverPreviewQuery['redeliverPreview'] }): ReactNode {
  return (
    <div className={styles['part']}>
      <p>
        {countText(preview.count)} of {countText(preview.matched)} matching deliveries
        {preview.capped && ': one call takes the newest 1000'}
        {preview.skipped > 0 && `; ${countText(preview.skipped)} are in flight, and skipped`}.
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
          {preview.sample.map((one) => (
            <li key={one.id}>
              <Status status={one.status} isCompact />
              <span className={styles['name']} title={visibleText(one.url)}>
                {wordsOf(one.eventKind)} to {visibleText(one.url)}
              </span>
              <Time at={one.createdAt} form="relative" />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
