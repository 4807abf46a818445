import { statement } from '../../db/index.ts';
import type { RawJson } from '../../json/index.ts';

export interface ControlActionRow {
  id: string;
  projectId: string;
  action: string;
  runId: string | null;
  newRunId: string | null;
  actor: string | null;
  detail: RawJson | null;
  now: Date | null;
}

export const insertControlAction = statement<ControlActionRow, { id: string }>({
  name: 'insertControlAction',
  writes: true,
  text: `
    insert into control_action (id, project_id, action, run_id, new_run_id, actor, detail, created_at)
    values ($1, $2, $3, $4, $5, $6, $7::json, coalesce($8::timestamptz, now()))
    returning id`,
  values: (row) => [
    row.id,
    row.projectId,
    row.action,
    row.runId,
    row.newRunId,
    row.actor,
    row.detail?.text ?? null,
    row.now,
  ],
});
