import { statement } from '../../db/statement.ts';

interface Params {
  id: string;
  projectId: string;
  action: string;
  runId: string | undefined;
  newRunId: string | undefined;
  actor: string | undefined;
  /** JSON text. */
  detail: string | undefined;
  now: Date | null;
}

/** Adds an entry to the audit log. */
export const insertControlAction = statement<Params, never>({
  name: 'insertControlAction',
  writes: true,
  text: `
    insert into control_action (id, project_id, action, run_id, new_run_id, actor, detail, created_at)
    values ($1, $2, $3, $4, $5, $6, $7::json, coalesce($8::timestamptz, now()))
  `,
  values: ({ id, projectId, action, runId, newRunId, actor, detail, now }) => [
    id,
    projectId,
    action,
    runId ?? null,
    newRunId ?? null,
    actor ?? null,
    detail ?? null,
    now,
  ],
});
