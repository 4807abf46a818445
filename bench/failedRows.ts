import { inChunks, letSettle, type Rows } from './rows.ts';

/** Adds runs that failed alike in the last hours, in the form in which the service ends them. */
export async function addFailed(database: Rows, { workflow, runs }: { workflow: string; runs: number }): Promise<void> {
  await inChunks(runs, (first, count) => database.pool.query(insertFailed, [workflow, count, first]));
  await letSettle(database);
}

/** The last one, which failed now. */
export async function lastFailed({ pool }: Rows): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from run where status = 'failed' order by ended_at desc limit 1",
  );
  if (rows[0] === undefined) throw new Error('no run failed');
  return rows[0].id;
}

const insertFailed = `
  with made as (
    insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, error, created_at,
      started_at, ended_at)
    select uuidv7(), w.project_id, w.app, w.name, w.version, 'failed', 'manual', w.name, '{}',
      json_build_object('name', 'CardError', 'message', 'card ' || ($3::int + n) || ' was declined', 'stack', repeat('at x\\n', 100)),
      now(), now(), now() - ($3::int + n) * interval '50 ms'
    from workflow w, generate_series(1, $2::int) as n
    where w.name = $1
    returning id, error, ended_at
  )
  insert into run_step (run_id, index, attempt, step_id, name, op, status, error, started_at, ended_at)
  select id, 0, 1, 'charge', 'charge', 'StepRun', 'failed', error, ended_at, ended_at from made`;
