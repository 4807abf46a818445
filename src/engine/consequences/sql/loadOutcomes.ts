import { statement, uuid } from '../../db/index.ts';
import type { TerminalStatus } from '../../runs/index.ts';

export interface OutcomeRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  status: TerminalStatus;
  eventName: string | null;
  session: string | null;
  runner: string | null;
  /** Whether the run failed because no live runner served it. */
  lackedRunner: boolean;
  tags: Record<string, string> | null;
  depth: number;
  onFailureOf: string | null;
  /** JSON texts. */
  input: string;
  result: string | null;
  error: string | null;
  /** The run that called this one; null when none did. */
  parentRunId: string | null;
  parentApp: string | null;
  parentWorkflow: string | null;
}

/** Ended runs whose consequences are not drawn yet. */
export const loadOutcomes = statement<OutcomeRow>('loadOutcomes').reads({
  params: { runIds: uuid.list },
  text: `
    select r.id as run_id, r.project_id, r.app, r.workflow, r.status, r.event_name, r.session, r.runner, o.lacked_runner, r.tags,
      r.depth, r.on_failure_of, r.input, r.result, r.error, r.parent_run_id, p.app as parent_app, p.workflow as parent_workflow
    from run_outcome o
    join run r on r.id = o.run_id
    left join run p on p.id = r.parent_run_id
    where o.run_id = any($runIds)
  `,
});
