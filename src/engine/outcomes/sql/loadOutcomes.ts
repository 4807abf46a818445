import { statement } from '../../db/index.ts';
import type { TerminalStatus } from '../../runs/index.ts';

export interface OutcomeRow {
  run_id: string;
  project_id: string;
  app: string;
  workflow: string;
  status: TerminalStatus;
  event_name: string | null;
  session: string | null;
  runner: string | null;
  tags: Record<string, string> | null;
  depth: number;
  on_failure_of: string | null;
  /** JSON texts. */
  input: string;
  result: string | null;
  error: string | null;
  /** The run that called this one; null when none did. */
  parent_run_id: string | null;
  parent_app: string | null;
  parent_workflow: string | null;
}

/** Finished runs whose consequences are still to be drawn. */
export const loadOutcomes = statement<{ runIds: readonly string[] }, OutcomeRow>({
  name: 'loadOutcomes',
  writes: false,
  text: `
    select r.id as run_id, r.project_id, r.app, r.workflow, r.status, r.event_name, r.session, r.runner, r.tags, r.depth,
      r.on_failure_of, r.input, r.result, r.error, r.parent_run_id, p.app as parent_app, p.workflow as parent_workflow
    from run_outcome o
    join run r on r.id = o.run_id
    left join run p on p.id = r.parent_run_id
    where o.run_id = any($1::uuid[])
  `,
  values: ({ runIds }) => [runIds],
});
