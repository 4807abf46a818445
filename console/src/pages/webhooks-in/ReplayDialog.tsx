import type { ReactNode } from 'react';
import { useAct } from '../../data/queries.ts';
import { explain } from '../../data/requestError.ts';
import { Button, Dialog, TroubleNote } from '../../design/index.ts';
import { messageDocument, messagesDocument, replayMessageDocument } from './messagesDocuments.ts';
import styles from './WebhooksIn.module.css';

/** Warns that effects repeat, and makes the message an event again. */
export function ReplayDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const replay = useAct(replayMessageDocument, {
    refreshes: [messageDocument, messagesDocument] as never,
    isQuiet: true,
    done: ({ replaySourceDelivery }) =>
      replaySourceDelivery?.status === 'DEDUPED' ? 'Dropped: its dedupe key was seen already' : 'Became an event again',
    onDone: onClose,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Replay this message"
      description="Its stored body goes through the present mapping of the source, and makes a new event."
      footer={
        <>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button kind="danger" isBusy={replay.isBusy} onClick={() => replay.act({ input: { id } })}>
            Replay 1 message
          </Button>
        </>
      }
    >
      <div className={styles['part']}>
        {replay.error && <TroubleNote trouble={explain(replay.error)} isNarrow />}
        <p>
          The workflows of the event run again, so their effects repeat: mails, payments and calls are made a second
          time unless the workflows prevent it.
        </p>
      </div>
    </Dialog>
  );
}
