import type { EngineContext } from '../context.ts';
import { burst, Mailbox } from '../timeline/index.ts';

/**
 * The ids of a project's approvals that are requested, decided, escalated or cancelled from now on.
 * An id may be missed, so consumers must also read the list. A consumer that falls 10,000 ids
 * behind is disconnected.
 */
export function tailApprovals(
  ctx: EngineContext,
  { projectId, signal }: { projectId: string; signal?: AbortSignal | undefined },
): AsyncIterableIterator<string> {
  const leave = ctx.bus.on('approval.changed', (changed) => {
    if (changed.projectId === projectId) mailbox.offer(changed.approvalId);
  });
  const mailbox = new Mailbox<string>({ capacity: burst, signal, onClose: leave });
  return mailbox;
}
