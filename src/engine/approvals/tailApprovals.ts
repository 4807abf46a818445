import type { BusEvents } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { burst, Mailbox } from '../timeline/index.ts';

/** A change of an approval: the same object for all consumers. */
export type ApprovalChange = Readonly<BusEvents['approval.changed']>;

/**
 * A project's approvals that are requested, decided, escalated or cancelled from now on.
 * A change may be missed, so consumers must also read the list. A consumer that falls 10,000
 * changes behind is disconnected.
 */
export function tailApprovals(
  ctx: EngineContext,
  { projectId, signal }: { projectId: string; signal?: AbortSignal | undefined },
): AsyncIterableIterator<ApprovalChange> {
  const leave = ctx.bus.on('approval.changed', (changed) => {
    if (changed.projectId === projectId) mailbox.offer(changed);
  });
  const mailbox = new Mailbox<ApprovalChange>({ capacity: burst, signal, onClose: leave });
  return mailbox;
}
