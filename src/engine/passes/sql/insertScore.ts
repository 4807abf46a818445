import { instant, int, json, statement, text, uuid } from '../../db/index.ts';

/** Records a score, once for each step. */
export const insertScore = statement<never>('insertScore').writes({
  params: {
    id: uuid,
    projectId: uuid,
    runId: uuid,
    stepIndex: int,
    name: text,
    /** JSON text. */
    value: json,
    /** JSON text of the whole score. */
    data: json,
    now: instant,
  },
  text: `
    insert into score (id, project_id, run_id, step_index, name, value, data, created_at)
    values ($id, $projectId, $runId, $stepIndex, $name, $value, $data, $now)
    on conflict (run_id, step_index) do nothing
  `,
});
