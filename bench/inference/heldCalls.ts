import type pg from 'pg';
import { keyIdSql, laneIdSql, settingsOwner } from '../../src/engine/inference/index.ts';

/** Adds calls that wait in a lane which the provider holds until tomorrow. */
export async function addHeldCalls(pool: pg.Pool, count: number): Promise<void> {
  const [owner, provider, model] = [`'${settingsOwner}'`, "'anthropic'", "'held'"];
  const [key, lane] = [keyIdSql(owner, provider), laneIdSql(owner, provider, model)];
  await pool.query(
    `insert into inference_lane (id, key_id, provider, model, held_until, held_for, holds, width)
     values (${lane}, ${key}, ${provider}, ${model}, now() + interval '1 day', 'status 529', 1, 1)`,
  );
  await pool.query(
    `insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
       due_at, deadline_at, idempotency_key)
     select uuidv7(), 0, 1, project.id, ${key}, ${lane}, ${provider}, ${model}, decode(repeat('00', 300), 'hex'), 300,
       now(), now() + interval '2 days', gen_random_uuid()
     from (select id from project limit 1) project cross join generate_series(1, $1::int)`,
    [count],
  );
  await pool.query('vacuum (analyze) inference_call');
}
