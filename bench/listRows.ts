import { letSettle, type Rows } from './rows.ts';

/**
 * Adds events that each started two runs and woke one, and sessions of three runs, of which one
 * called a model.
 */
export async function addListed(database: Rows, { events, sessions }: { events: number; sessions: number }) {
  await database.pool.query(insertEvents, [events]);
  await database.pool.query(insertSessions, [sessions]);
  await letSettle(database);
  for (const table of ['event', 'ai_usage']) await database.pool.query(`vacuum analyze ${table}`);
}

const insertEvents = `
  insert into event (id, project_id, app, name, data, tags, session, source, triggered, woke, woke_runs)
  select uuidv7(), w.project_id, w.app, 'order.paid',
    json_build_object('orderId', 'o-' || n, 'cents', n, 'note', repeat('x', 150)),
    jsonb_build_object('tenant', 'acme', 'order', 'o-' || n), 'chat-' || n % 100, 'api',
    json_build_array(
      json_build_object('app', w.app, 'workflow', 'noop', 'runId', uuidv7()),
      json_build_object('app', w.app, 'workflow', 'steps', 'skipped', true, 'existingRunId', uuidv7())
    ), 1, array[uuidv7()]
  from workflow w, generate_series(1, $1::int) as n
  where w.name = 'noop'`;

const insertSessions = `
  with made as (
    insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, session, input, created_at,
      started_at, ended_at)
    select uuidv7(), w.project_id, w.app, w.name, w.version, 'succeeded', 'manual', w.name, 'session ' || n, '{}',
      now() - n * interval '1 s', now(), now()
    from workflow w, generate_series(1, $1::int) as n, generate_series(1, 3)
    where w.name = 'noop'
    returning id, project_id, app, workflow, session
  )
  insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, model, tokens_in, tokens_out, cost)
  select distinct on (session) id, 0, 1, project_id, app, workflow, 'm', 100, 20, 0.01 from made order by session, id`;
