import { instant, int, rowset, statement, uuid } from '../../db/index.ts';
import { isOpenSql, lookingSql, waitingSql } from './waitingSql.ts';
import { widthSql } from './widthSql.ts';

/** A call that was leased, if any. The other columns are the same in each row. */
export interface LeasedRow {
  /** False if others found the process dead. Then it leases nothing. */
  isAlive: boolean;
  /** Whether more calls could be leased at once. */
  hasMore: boolean;
  /** Whether another transaction was leasing the same looks. */
  isRivaled: boolean;
  /** The project after which the next claim seeks looks; null: all projects were visited. */
  nextLookAfter: string | null;
  runId: string | null;
  stepIndex: number;
  claimNo: number;
  attempt: number;
  projectId: string;
  app: string;
  workflow: string;
  runLaneId: number;
  provider: string;
  model: string;
  keyId: string;
  laneId: string;
  ownerId: string | null;
  looksUp: boolean;
  sends: number;
  failures: number;
  reasked: number;
  idempotencyKey: string;
  deadlineAt: Date;
  request: Buffer;
  requestBytes: number;
  maxTokens: number | null;
  /** How the last send of the step ended, in any attempt; null: there was none. */
  lastOutcome: string | null;
}

/** The calls of a place that a claim reads at least. */
const minAsked = 4;

/** The number of projects whose looks one claim visits. */
const maxVisits = 500;

/** SQL: sorts before all projects. */
const firstIdSql = "'00000000-0000-0000-0000-000000000000'::uuid";

/** SQL: an index of looks in its order, from a project on. */
const looksFromSql = (project: string): string =>
  `${lookingSql} and project_id > ${project} order by project_id, due_at, run_id, step_index limit 1`;

/**
 * Leases due calls of places whose keys the transaction has locked, and looks into the cache, which
 * need no key. Looks take half of the room. All leases of a key count against its limit, and those
 * of a lane against its width.
 *
 * The projects of a key take turns, and so do all projects at looks: the one with the fewest calls
 * in flight is next, so a backlog of one project delays no other. `turn` counts the calls in flight
 * of the project, and its calls before this one.
 *
 * A claim reads few calls of each place if there are many places. If a place had more, and its lane
 * is not full, `has_more` says so.
 *
 * The process's row is held, so that others cannot free its calls between this statement and its
 * commit (`lockSilentProcesses`). Chosen calls are locked and updated by their `ctid`, so that the
 * planner joins them with no table. A call that another transaction has changed meanwhile has
 * another `ctid`, and is left out. Comparisons of whole places leave it only the index of places.
 */
export const leaseCalls = statement<LeasedRow>('leaseCalls').writes({
  params: {
    now: instant,
    processId: uuid,
    /** How many calls at most. */
    room: int,
    /** The project after which looks are sought. */
    lookAfter: uuid,
    /** The calls in flight of one key. */
    limit: int,
    places: rowset({ keyId: uuid, laneId: uuid, projectId: uuid }),
  },
  text: `
    with recursive process as (select id from inference_process where id = $processId for key share),
    look_project as (
      (select project_id, 1 as visits from inference_call where ${looksFromSql('$lookAfter')})
      union all
      select next.project_id, l.visits + 1
      from look_project l
      cross join lateral (select project_id from inference_call where ${looksFromSql('l.project_id')}) next
      where l.visits < ${maxVisits}
    ),
    sought as materialized (
      select c.place, c.due_at, p.most, coalesce(f.calls, 0) + row_number() over each as turn, count(*) over (partition by p.project_id) as found
      from (
        select project_id, greatest(${minAsked}, $room / count(*) over () + 1) as most from look_project where exists (select from process)
      ) p
      left join (
        select project_id, count(*) as calls from inference_call where lease_id is not null and looks_up group by project_id
      ) f on f.project_id = p.project_id
      cross join lateral (
        select ctid as place, due_at from inference_call
        where ${lookingSql} and (project_id, due_at) >= (p.project_id, '-infinity') and (project_id, due_at) <= (p.project_id, $now)
        order by project_id, due_at, run_id, step_index
        limit p.most
      ) c
      window each as (partition by p.project_id order by c.due_at, c.place)
    ),
    wanted as materialized (
      select place from sought order by turn, due_at, place limit ($room + 1) / 2
    ),
    look as materialized (
      select ctid from inference_call where ctid = any(array(select place from wanted)) for update skip locked
    ),
    looks as (
      select count(*) as leased, (select count(*) from wanted) as wanted, (select count(*) from sought) as sought,
        (select coalesce(bool_or(found >= most), false) from sought) as is_cut,
        (select project_id from look_project where visits = ${maxVisits}) as next_after
      from look
    ),
    room as (
      select $room - (select count(*) from look)::int as calls
    ),
    place as materialized (
      select p.key_id, p.lane_id, p.project_id from $places as p
    ),
    flight as materialized (
      select key_id, lane_id, project_id, count(*)::int as calls from inference_call
      where lease_id is not null and not looks_up
      group by key_id, lane_id, project_id
    ),
    key as materialized (
      select p.key_id, p.places, $limit - coalesce(f.calls, 0)::int as free
      from (select key_id, count(*) as places from place group by key_id) p
      left join (select key_id, sum(calls) as calls from flight group by key_id) f on f.key_id = p.key_id
    ),
    lane as materialized (
      select p.lane_id, p.key_id, k.places, k.free as key_free, least(k.free, coalesce(${widthSql('l')}, $limit) - coalesce(f.calls, 0)::int) as free
      from (select distinct lane_id, key_id from place) p
      join key k on k.key_id = p.key_id
      join inference_lane l on l.id = p.lane_id
      left join (select lane_id, sum(calls) as calls from flight group by lane_id) f on f.lane_id = p.lane_id
      where ${isOpenSql('l')}
    ),
    asked as materialized (
      select p.key_id, p.lane_id, p.project_id, l.free as lane_free, l.key_free, coalesce(f.calls, 0)::int as in_flight,
        least(l.free, (select calls from room), greatest(${minAsked}, (2 * l.free + l.places - 1) / l.places))::int as most
      from place p
      join lane l on l.lane_id = p.lane_id
      left join (select key_id, project_id, sum(calls) as calls from flight group by key_id, project_id) f
        on f.key_id = p.key_id and f.project_id = p.project_id
      where l.free > 0 and exists (select from process)
    ),
    found as materialized (
      select a.key_id, a.lane_id, a.project_id, a.most, a.lane_free, a.key_free, c.place, c.due_at,
        a.in_flight + row_number() over (partition by a.key_id, a.project_id order by c.due_at, c.place) as turn
      from asked a
      cross join lateral (
        select ctid as place, due_at from inference_call
        where ${waitingSql} and (key_id, lane_id, project_id, due_at) >= (a.key_id, a.lane_id, a.project_id, '-infinity')
          and (key_id, lane_id, project_id, due_at) <= (a.key_id, a.lane_id, a.project_id, $now)
        order by key_id, lane_id, project_id, due_at, run_id, step_index
        limit a.most
      ) c
    ),
    fits_lane as (
      select * from (
        select f.*, row_number() over (partition by f.lane_id order by f.turn, f.due_at, f.place) as in_lane from found f
      ) f
      where in_lane <= lane_free
    ),
    fits_key as (
      select * from (
        select f.*, row_number() over (partition by f.key_id order by f.turn, f.due_at, f.place) as in_key from fits_lane f
      ) f
      where in_key <= key_free
    ),
    chosen as materialized (
      select * from fits_key order by turn, due_at, place limit (select calls from room)
    ),
    free_call as materialized (
      select c.ctid from inference_call c
      where c.ctid = any(array(select place from chosen))
      for update skip locked
    ),
    leased as (
      update inference_call c
      set lease_id = $processId, claim_no = c.claim_no + 1, is_capped = false
      where c.ctid = any(array(select ctid from look union all select ctid from free_call))
      returning c.*
    ),
    more as (
      select exists (
        select from found f
        group by f.key_id, f.lane_id, f.project_id, f.most, f.lane_free, f.key_free
        having count(*) >= f.most and f.most < f.lane_free
          and f.lane_free > (select count(*) from chosen c where c.lane_id = f.lane_id)
          and f.key_free > (select count(*) from chosen c where c.key_id = f.key_id)
      ) or (select next_after is not null or (leased > 0 and (is_cut or sought > leased or $lookAfter <> ${firstIdSql})) from looks)
        as has_more
    )
    select exists (select from process) as is_alive, more.has_more, looks.leased < looks.wanted as is_rivaled,
      looks.next_after as next_look_after,
      c.run_id, c.step_index, c.claim_no, c.attempt, c.project_id, r.app, r.workflow, c.provider, c.model, c.key_id, c.lane_id,
      (select w.lane_id from run_work w where w.run_id = c.run_id) as run_lane_id,
      k.project_id as owner_id, c.looks_up, c.sends, c.failures, c.reasked, c.idempotency_key, c.deadline_at, c.request,
      c.request_bytes, c.max_tokens,
      (select s.outcome from inference_send s
        where s.run_id = c.run_id and s.step_index = c.step_index
        order by s.attempt desc, s.number desc limit 1) as last_outcome
    from more
    cross join looks
    left join leased c on true
    left join run r on r.id = c.run_id
    left join inference_key k on k.id = c.key_id
    order by c.due_at, c.run_id, c.step_index
  `,
});
