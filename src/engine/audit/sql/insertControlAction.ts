import { instant, json, statement, text, uuid } from '../../db/index.ts';

export const insertControlAction = statement<{ id: string }>('insertControlAction').writes({
  params: {
    now: instant,
    id: uuid,
    projectId: uuid,
    action: text,
    runId: uuid.orNull,
    newRunId: uuid.orNull,
    runIds: uuid.list,
    actor: text.orNull,
    detail: json.orNull,
  },
  text: `
    insert into control_action (id, project_id, action, run_id, new_run_id, run_ids, actor, detail, created_at)
    values ($id, $projectId, $action, $runId, $newRunId, $runIds, $actor, $detail, $now)
    returning id`,
});
