import { inChunks, letSettle, type Rows } from '../rows.ts';

/**
 * Adds ended runs of the last month, of which 4 % failed, in the form in which the service ends
 * them. Their ids sort by time.
 */
export async function addHistory(database: Rows, runs: number): Promise<void> {
  await inChunks(runs, (first, count) => database.pool.query(insertHistory, [first, count, runs]));
  await letSettle(database);
}

const insertHistory = `
  insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, result, error, tags,
    created_at, started_at, ended_at)
  select uuidv7(at - now()), w.project_id, w.app, w.name, w.version,
    case when n % 25 = 0 then 'failed' else 'succeeded' end, 'manual', w.name, '{"i":1}',
    case when n % 25 = 0 then null else '{"i":1}'::json end,
    case when n % 25 = 0 then json_build_object('name', 'CardError', 'message', 'card ' || n || ' was declined') end,
    jsonb_build_object('tenant', 'tenant ' || n % 50), at, at, at + n % 977 * interval '1 ms'
  from (
    select n, now() - ($3::int - n) * interval '30 days' / $3::int as at
    from generate_series($1::int + 1, $1::int + $2::int) as n
  ) made
  join lateral (
    select * from workflow where name = (array['noop', 'steps1', 'steps3', 'seq100', 'fan200', 'sleeper'])[n % 6 + 1]
  ) w on true`;

/** Adds a run that has ended, with so many steps and log lines, and answers its id. */
export async function addLongRun(database: Rows, { steps, lines }: { steps: number; lines: number }): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(insertLongRun, [steps]);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('the workflow sequence is not registered');
  await database.pool.query(insertSteps, [id, steps]);
  await database.pool.query(insertLines, [id, lines]);
  await letSettle(database);
  return id;
}

const insertLongRun = `
  insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, result, created_at,
    started_at, ended_at)
  select uuidv7(), project_id, app, name, version, 'succeeded', 'manual', name, '{"i":1}', '{"i":1}',
    now() - $1::int * interval '10 ms', now() - $1::int * interval '10 ms', now()
  from workflow where name = 'sequence'
  returning id`;

const insertSteps = `
  insert into run_step (run_id, index, attempt, step_id, name, op, status, output, started_at, ended_at)
  select $1::uuid, n - 1, 1, md5(n::text), 'step ' || n, 'StepRun', 'succeeded', json_build_object('n', n),
    now() - ($2::int - n + 1) * interval '10 ms', now() - ($2::int - n) * interval '10 ms'
  from generate_series(1, $2::int) as n`;

const insertLines = `
  insert into run_frame (run_id, seq, kind, payload, log_scope, log_attempt, log_index)
  select $1::uuid, n, 'log', json_build_object('level', 'info', 'message', 'line ' || n || ' of the long run',
    'scope', '@root', 'attempt', 1), '@root', 1, n
  from generate_series(1, $2::int) as n`;

/** Adds an ended run with this text as its result, and answers its id. */
export async function addPayload({ pool }: Rows, text: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(insertPayload, [text]);
  return rows[0]?.id ?? '';
}

const insertPayload = `
  insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, result, started_at,
    ended_at)
  select uuidv7(), project_id, app, name, version, 'succeeded', 'manual', name, '{}', $1::json, now(), now()
  from workflow where name = 'noop'
  returning id`;
