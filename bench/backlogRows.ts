// Backlogs of any size, made by the database itself: through the service, a million runs would take many minutes.
import type { BenchDatabase } from './database.ts';

/** `queued`: may be claimed at once. `stranded`: no runner serves them. `asleep`: due tomorrow. */
export type BacklogKind = 'queued' | 'stranded' | 'asleep';

interface Lane {
  app: string;
  workflow: string;
}

const chunk = 100_000;

const stateOf = {
  queued: { status: 'queued', state: 'ready' },
  stranded: { status: 'waiting', state: 'stranded' },
  asleep: { status: 'waiting', state: 'parked' },
} as const satisfies Record<BacklogKind, { status: string; state: string }>;

/** Adds runs of a workflow, as the service would have left them, and lets the database settle. Returns their lane. */
export async function addBacklog(
  database: BenchDatabase,
  kind: BacklogKind,
  lane: Lane,
  runs: number,
): Promise<number> {
  const laneId = await ensureLane(database, lane);
  for (let made = 0; made < runs; made += chunk) {
    await addRuns(database, kind, { ...lane, laneId }, Math.min(chunk, runs - made));
  }
  for (const table of ['run', 'run_work', 'run_step', 'run_frame'])
    await database.pool.query(`vacuum analyze ${table}`);
  await database.pool.query('checkpoint');
  return laneId;
}

async function ensureLane({ pool }: BenchDatabase, { app, workflow }: Lane): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into lane (project_id, app, workflow)
     select project_id, app, name from workflow where app = $1 and name = $2
     on conflict (project_id, app, workflow, runner) do update set workflow = excluded.workflow
     returning id`,
    [app, workflow],
  );
  if (rows[0] === undefined) throw new Error(`workflow ${workflow} of app ${app} is not registered`);
  return rows[0].id;
}

async function addRuns(
  { pool }: BenchDatabase,
  kind: BacklogKind,
  { app, workflow, laneId }: Lane & { laneId: number },
  runs: number,
): Promise<void> {
  const { status, state } = stateOf[kind];
  await pool.query(
    `with made as (
       insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, created_at,
         started_at)
       select uuidv7(), w.project_id, w.app, w.name, w.version, $3, 'manual', w.name, json_build_object('i', n), now(),
         case when $4 = 'parked' then now() end
       from workflow w, generate_series(1, $6) as n
       where w.app = $1 and w.name = $2
       returning id, project_id
     ),
     worked as (
       insert into run_work (run_id, project_id, lane_id, state, position, due_at, stranded_at, seq)
       select id, project_id, $5, $4, (extract(epoch from clock_timestamp()) * 1000000)::bigint,
         case when $4 <> 'ready' then now() + interval '1 day' end, case when $4 = 'stranded' then now() end, 1
       from made
     ),
     stepped as (
       insert into run_step (run_id, index, attempt, step_id, name, op, status, run_after, started_at)
       select id, 0, 1, encode(sha256('sleep'), 'hex'), 'sleep', 'Sleep', 'waiting', now() + interval '1 day', now()
       from made where $4 = 'parked'
     )
     insert into run_frame (run_id, seq, kind, payload)
     select id, 1, 'run_status', json_build_object('status', $3::text) from made`,
    [app, workflow, status, state, laneId, runs],
  );
}
