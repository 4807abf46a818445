import { ensureLane, inChunks, type Lane, letSettle, type Rows } from './rows.ts';
import { addSleepers } from './sleeperRows.ts';

/** `queued`: can be claimed at once. `stranded`: no runner serves them. `asleep`: due tomorrow. */
export type BacklogKind = 'queued' | 'stranded' | 'asleep';

const dayMs = 86_400_000;

const stateOf = {
  queued: { status: 'queued', state: 'ready' },
  stranded: { status: 'waiting', state: 'stranded' },
} as const satisfies Partial<Record<BacklogKind, { status: string; state: string }>>;

/**
 * Adds runs of a workflow in the form in which the service stores them, and lets the database
 * settle. Returns their lane.
 */
export async function addBacklog(database: Rows, kind: BacklogKind, lane: Lane, runs: number): Promise<number> {
  const laneId = await ensureLane(database, lane);
  if (kind === 'asleep') {
    await addSleepers(database, lane, { runs, dueAt: new Date(Date.now() + dayMs), spreadMs: 0 });
  } else {
    await inChunks(runs, (_, count) => addRuns(database, kind, { ...lane, laneId }, count));
  }
  await letSettle(database);
  return laneId;
}

async function addRuns(
  { pool }: Rows,
  kind: keyof typeof stateOf,
  { app, workflow, laneId }: Lane & { laneId: number },
  runs: number,
): Promise<void> {
  const { status, state } = stateOf[kind];
  await pool.query(
    `with made as (
       insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, created_at)
       select uuidv7(), w.project_id, w.app, w.name, w.version, $3, 'manual', w.name, json_build_object('i', n), now()
       from workflow w, generate_series(1, $6) as n
       where w.app = $1 and w.name = $2
       returning id, project_id
     ),
     worked as (
       insert into run_work (run_id, project_id, lane_id, state, position, due_at, stranded_at, seq)
       select id, project_id, $5, $4, (extract(epoch from clock_timestamp()) * 1000000)::bigint,
         case when $4 <> 'ready' then now() + interval '1 day' end, case when $4 = 'stranded' then now() end,
         case when $4 = 'ready' then 1 else 2 end
       from made
     )
     insert into run_frame (run_id, seq, kind, payload)
     select id, seq, 'run_status', json_build_object('status', status)
     from made cross join (values (1, 'queued'), (2, 'waiting')) as frame(seq, status)
     where seq = 1 or $4 <> 'ready'`,
    [app, workflow, status, state, laneId, runs],
  );
}
