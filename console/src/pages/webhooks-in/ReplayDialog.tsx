import type { ReactNode } from 'react';
import { useAct } from '../../data/queries.ts';
import { Confirm } from '../../design/index.ts';
import { messageDocument, messagesDocument, replayMessageDocument } from './messagesDocuments.ts';

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
    <Confirm
      title="Replay this message"
      description="Its stored body goes through the present mapping of the source, and makes a new event."
      verb="Replay 1 message"
      act={replay}
      onConfirm={() => replay.act({ input: { id } })}
      onClose={onClose}
    >
      <p>
        The workflows of the event run again, so their effects repeat: mails, payments and calls are made a second time
        unless the workflows prevent it.
      </p>
    </Confirm>
  );
}
