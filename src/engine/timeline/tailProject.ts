import type { EngineContext } from '../context.ts';
import { burst, Mailbox } from './mailbox.ts';
import { type RunStatusChange, statusHub } from './statusHub.ts';

export interface ProjectTailQuery {
  projectId: string;
  /** Only runs of this app. */
  app?: string | undefined;
  /** Only runs of this workflow. */
  workflow?: string | undefined;
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

/**
 * The status changes of a project's runs that this process commits, from now on (4.5: best effort, a missed one is a
 * reason to refetch). Per run they come in order. A consumer that falls ten thousand behind is cut off.
 */
export function tailProject(ctx: EngineContext, query: ProjectTailQuery): AsyncIterableIterator<RunStatusChange> {
  const { projectId, app, workflow, signal } = query;
  const leave = statusHub(ctx).listen(projectId, (change) => {
    const isWanted =
      (app === undefined || change.app === app) && (workflow === undefined || change.workflow === workflow);
    if (isWanted) mailbox.offer(change);
  });
  const mailbox = new Mailbox<RunStatusChange>({ capacity: burst, signal, onClose: leave });
  return mailbox;
}
