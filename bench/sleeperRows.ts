import { ensureLane, inChunks, type Lane, parkedJournal, type Rows } from './rows.ts';

interface Sleepers {
  runs: number;
  dueAt: Date;
  /** The time over which they wake, evenly, in ms. */
  spreadMs: number;
  /** A label in their input, by which they are found. */
  label?: string;
}

/** Runs from this number on were not started by a client. */
const firstNumber = 1_000_000_000;

/**
 * Adds runs that sleep in the step `sleep`, in the form in which the service parks them. Their
 * input has `due`, in ms since the epoch. The service gets no hint: it learns the first due time at
 * its next look.
 */
export async function addSleepers(
  database: Rows,
  lane: Lane,
  { runs, dueAt, spreadMs, label }: Sleepers,
): Promise<void> {
  const laneId = await ensureLane(database, lane);
  await inChunks(runs, (first, count) =>
    database.pool.query(insertSleepers, [
      lane.app,
      lane.workflow,
      laneId,
      first,
      count,
      runs,
      dueAt.getTime(),
      spreadMs,
      label ?? null,
      firstNumber,
    ]),
  );
}

const insertSleepers = `
  with sleeper as materialized (
    select uuidv7() as id, w.project_id, w.app, w.name, w.version, n,
      floor($7::float8 + $8::float8 * ($4::int + n - 1) / $6::int) as due
    from workflow w, generate_series(1, $5::int) as n
    where w.app = $1 and w.name = $2
  ),
  made as (
    insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, created_at, started_at)
    select id, project_id, app, name, version, 'waiting', 'manual', name,
      json_strip_nulls(json_build_object('i', $10::bigint + $4::int + n, 'due', due::bigint, 'label', $9::text)), now(), now()
    from sleeper
  ),
  worked as (
    insert into run_work (run_id, project_id, lane_id, state, position, due_at, claim_no, seq)
    select id, project_id, $3, 'parked', (extract(epoch from clock_timestamp()) * 1000000)::bigint,
      to_timestamp(due / 1000), 1, 4
    from sleeper
  ),
  stepped as (
    insert into run_step (run_id, index, attempt, step_id, name, op, status, input, run_after, started_at)
    select id, 0, 1, encode(sha256('sleep'), 'hex'), 'sleep', 'Sleep', 'waiting',
      json_build_object('sleepMs', greatest(0, due - extract(epoch from now()) * 1000)), to_timestamp(due / 1000), now()
    from sleeper
  )
  insert into run_frame (run_id, seq, kind, payload)
  select id, seq, kind, payload from sleeper cross join ${parkedJournal('sleep')}`;
