import type { EngineContext } from '../context.ts';
import type { RunStatus } from '../runs/status.ts';
import { frameHub } from './frameHub.ts';
import { Mailbox } from './mailbox.ts';
import { runStatusOf } from './runStatusOf.ts';

/** A run changed its status. */
export interface RunStatusChange {
  runId: string;
  app: string;
  workflow: string;
  status: RunStatus;
  ts: Date;
}

export interface ProjectTailQuery {
  projectId: string;
  /** Only runs of this app. */
  app?: string | undefined;
  /** Only runs of this workflow. */
  workflow?: string | undefined;
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

const capacity = 1_000;

/**
 * The status changes of a project's runs that this process commits, from now on (4.5: best effort, a missed one is a
 * reason to refetch). Per run they come in order. A consumer that falls a thousand behind is cut off.
 */
export function tailProject(ctx: EngineContext, query: ProjectTailQuery): AsyncIterableIterator<RunStatusChange> {
  const { projectId, app, workflow, signal } = query;
  const leave = frameHub(ctx).listen(projectId, (committed) => {
    if (app !== undefined && committed.app !== app) return;
    if (workflow !== undefined && committed.workflow !== workflow) return;
    for (const frame of committed.frames) {
      const status = runStatusOf(frame);
      if (!status) continue;
      const { runId, app, workflow } = committed;
      mailbox.offer({ runId, app, workflow, status, ts: frame.ts });
    }
  });
  const mailbox = new Mailbox<RunStatusChange>({ capacity, signal, onClose: leave });
  return mailbox;
}
