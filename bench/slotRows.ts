import { randomUUID } from 'node:crypto';
import { inChunks, letSettle, type Rows } from './rows.ts';

/**
 * Adds runs that wait for the slot of an executing run, in the form in which the service gates
 * them. With `isSpread`, each waits for a different slot, held by a run of a dispatcher that soon
 * expires.
 */
export async function addWaiting(
  database: Rows,
  { holderId, runs, isSpread = false }: { holderId: string; runs: number; isSpread?: boolean },
): Promise<void> {
  const dispatcherId = randomUUID();
  if (isSpread) {
    await database.pool.query("insert into dispatcher (id, heartbeat_at) values ($1, now() + interval '1 hour')", [
      dispatcherId,
    ]);
  }
  await inChunks(runs, async (first, count) => {
    await database.pool.query(insertWaiting, [holderId, count, isSpread ? first : null, 'gated', null]);
    if (isSpread) await database.pool.query(insertWaiting, [holderId, count, first, 'leased', dispatcherId]);
  });
  await letSettle(database);
}

const insertWaiting = `
  with made as (
    insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, created_at)
    select uuidv7(), r.project_id, r.app, r.workflow, r.version, case when $4 = 'leased' then 'running' else 'queued' end,
      'manual', r.event_name, json_build_object('i', -n), now()
    from run r, generate_series(1, $2::int) as n
    where r.id = $1::uuid
    returning id, (input ->> 'i')::int as number, status
  ),
  worked as (
    insert into run_work (run_id, project_id, lane_id, state, position, seq, slot, slot_key, gate, lease_id)
    select made.id, w.project_id, w.lane_id, $4, (extract(epoch from clock_timestamp()) * 1000000)::bigint,
      case when $4 = 'leased' then 2 else 1 end,
      case when $3::int is null then w.slot else 1000000 + $3::int - made.number end,
      case when $3::int is null then w.slot_key else '=of ' || ($3::int - made.number) end,
      case when $4 = 'gated' then 'slot' end, $5::uuid
    from made cross join run_work w
    where w.run_id = $1::uuid
  )
  insert into run_frame (run_id, seq, kind, payload)
  select id, seq, 'run_status', json_build_object('status', frame.status)
  from made cross join (values (1, 'queued'), (2, 'running')) as frame(seq, status)
  where seq = 1 or made.status = 'running'`;
