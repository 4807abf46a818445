import { ensureLane, inChunks, type Lane, parkedJournal, type Rows } from './rows.ts';
import { wakeEvent } from './workflows.ts';

interface Waiters {
  runs: number;
  /**
   * Each n-th run waits for `together`, every other one for a value of its own. 0: all for their
   * own.
   */
  togetherEvery: number;
}

/** The value for which all those runs wait that one event wakes. */
export const together = 'together';

/**
 * Adds runs that wait for `wakeEvent` in their step `wait`, in the form in which the service parks
 * them. Their guards require different values of `event.data.id`, which is indexed.
 */
export async function addWaiters(database: Rows, lane: Lane, { runs, togetherEvery }: Waiters): Promise<void> {
  const laneId = await ensureLane(database, lane);
  await inChunks(runs, (first, count) =>
    database.pool.query(insertWaiters, [
      lane.app,
      lane.workflow,
      laneId,
      first,
      count,
      togetherEvery,
      together,
      wakeEvent,
    ]),
  );
}

const insertWaiters = `
  with waiter as materialized (
    select uuidv7() as id, w.project_id, w.app, w.name, w.version, $4::int + n as i,
      case when $6::int > 0 and n % greatest($6::int, 1) = 0 then $7::text else 'row-' || ($4::int + n) end as value
    from workflow w, generate_series(1, $5::int) as n
    where w.app = $1 and w.name = $2
  ),
  made as (
    insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, created_at, started_at)
    select id, project_id, app, name, version, 'waiting', 'manual', name,
      json_build_object('i', 1000000000 + i, 'match', value), now(), now()
    from waiter
  ),
  worked as (
    insert into run_work (run_id, project_id, lane_id, state, position, claim_no, seq)
    select id, project_id, $3, 'parked', (extract(epoch from clock_timestamp()) * 1000000)::bigint, 1, 4 from waiter
  ),
  stepped as (
    insert into run_step (run_id, index, attempt, step_id, name, op, status, input, event_name, started_at)
    select id, 0, 1, encode(sha256('wait'), 'hex'), 'wait', 'WaitForEvent', 'waiting',
      json_build_object('event', $8::text, 'if', 'event.data.id == "' || value || '"'), $8, now()
    from waiter
  ),
  waited as (
    insert into run_wait (run_id, step_index, term, project_id, event_name, event_if, match_path, match_value, created_at)
    select id, 0, 0, project_id, $8, 'event.data.id == "' || value || '"', 'id', 's:' || value, now() from waiter
  )
  insert into run_frame (run_id, seq, kind, payload)
  select id, seq, kind, payload from waiter cross join ${parkedJournal('wait')}`;
