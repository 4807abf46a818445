import type { EngineContext } from '../context.ts';
import { burst, Mailbox } from '../timeline/index.ts';

/**
 * Ids of a project's approvals as they are requested, decided, escalated or cancelled, from now on.
 * Best effort: a missed one is a reason to read again. A consumer that falls ten thousand behind is
 * cut off.
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
