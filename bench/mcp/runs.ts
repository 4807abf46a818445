import { randomUUID } from 'node:crypto';
import type { Rows } from '../rows.ts';

interface RunShape {
  steps: number;
  /** Bytes of each step's output. */
  outputBytes: number;
  status: 'succeeded' | 'failed';
}

/** Writes an ended run with its steps. Returns its id. */
export async function insertEndedRun({ pool }: Rows, { steps, outputBytes, status }: RunShape): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, result, error, created_at,
       started_at, ended_at, depth)
     select $1::uuid, id, 'bench', 'flow', 'v1', $2::text, 'event', '{"order":{"id":17,"items":[1,2,3]}}',
       case when $2::text = 'succeeded' then '{"paid":true}'::json end,
       case when $2::text = 'failed' then '{"name":"Error","message":"card declined"}'::json end,
       now(), now(), now(), 0 from project order by created_at limit 1`,
    [id, status],
  );
  await pool.query(
    `insert into run_step (run_id, index, attempt, step_id, name, op, status, output, started_at, ended_at)
     select $1::uuid, n, 1, 'id ' || n, 'step ' || n, 'StepRun', 'succeeded',
       to_json(array(select md5(random()::text) from generate_series(1, ($3::int + 31) / 32 + n - n))), now(), now()
     from generate_series(0, $2::int - 1) n`,
    [id, steps, outputBytes],
  );
  return id;
}
