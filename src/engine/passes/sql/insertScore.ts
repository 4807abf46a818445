import { statement } from '../../db/index.ts';

interface Params {
  id: string;
  projectId: string;
  runId: string;
  stepIndex: number;
  name: string;
  /** JSON text. */
  value: string;
  /** JSON text of the whole score. */
  data: string;
  now: Date | null;
}

/** Keeps a score. One per step, whatever is repeated. */
export const insertScore = statement<Params, never>({
  name: 'insertScore',
  writes: true,
  text: `
    insert into score (id, project_id, run_id, step_index, name, value, data, created_at)
    values ($1, $2, $3, $4, $5, $6::json, $7::json, coalesce($8::timestamptz, now()))
    on conflict (run_id, step_index) do nothing
  `,
  values: ({ id, projectId, runId, stepIndex, name, value, data, now }) => [
    id,
    projectId,
    runId,
    stepIndex,
    name,
    value,
    data,
    now,
  ],
});
