import { float8, instant, int, statement, uuid } from '../../db/index.ts';
import { concurrencyLimit } from '../../flow/policies/concurrency/index.ts';
import { roomAtSql } from '../../flow/policies/index.ts';
import { heldUntil } from '../../flow/policies/token-throttle/index.ts';
import { isLiveRunner, servesLane } from '../../routing/index.ts';
import type { RunStatus } from '../../runs/index.ts';
import { isNotFoundDead } from '../../work/index.ts';

/** A run, and all that keeps it from executing apart from its steps. */
export interface WaitFacts {
  runId: string;
  app: string;
  workflow: string;
  runner: string | null;
  status: RunStatus;
  attempt: number;
  pausedReason: 'manual' | 'budget' | null;
  pausedActor: string | null;
  /** Null: the run has ended. */
  state: 'ready' | 'leased' | 'parked' | 'stranded' | 'paused' | 'gated' | null;
  /** The state; of a paused run, the one after it is resumed. */
  turn: 'ready' | 'leased' | 'parked' | 'stranded' | 'gated' | null;
  /** Whether it has not started, so that a parked run waits for its start. */
  isEarly: boolean;
  /** The last change of its status. */
  since: Date | null;
  dueAt: Date | null;
  /** Whether that is the start time for which the caller asked. */
  isAsked: boolean | null;
  retryAt: Date | null;
  unanswered: number | null;
  /** JSON text of the wait that the last commit recorded. */
  waitingFor: string | null;
  gate: 'slot' | 'ceiling' | null;
  /** The scopes of its `concurrency` and of its `tokenThrottle`. */
  slotKey: string | null;
  tokenKey: string | null;
  /** JSON text. Null, with `maxAttempts`, if the workflow is not registered any more. */
  flowControl: string | null;
  maxAttempts: number | null;
  /** Until when its token bucket is drained. */
  drainedUntil: Date | null;
  /** When the budget that paused it has room again; null if the search found no such time. */
  budgetUntil: Date | null;
  /** Dispatchers that beat, and the last beat of all. */
  dispatchers: number;
  lastBeatAt: Date | null;
  /** Whether its own dispatcher beats; null without a lease. */
  isHeld: boolean | null;
  /** The runners of its lane; null if the run is not to be executed now. */
  registered: number | null;
  live: number | null;
  room: number | null;
  busy: number | null;
  readyAhead: number | null;
  /** The slots of its scope; null if it has none, or no limit. */
  slotLimit: number | null;
  slotsInUse: number | null;
  slotHolders: string[] | null;
  gatedAhead: number | null;
  /** The project's ceiling; null without one. */
  ceiling: number | null;
  executing: number | null;
  ceilingHolders: string[] | null;
  ceilingAhead: number | null;
}

/** Counts of runs that come first end here. One more tells that there are more. */
export const maxAhead = 1000;
const counted = maxAhead + 1;

/** Holders of a limit that are named. */
export const maxHolders = 20;

const isAlive = `${isNotFoundDead} and heartbeat_at > $now - $silenceMs * interval '1 ms'`;

/** SQL: whether a run is to be executed as soon as a slot and a runner allow it. */
const isDue = "turn in ('ready', 'stranded', 'gated')";

/**
 * Why runs of a project do not execute, apart from their steps, together with the children for
 * which they wait: for each parked run `$children` of them, and of each of those the first child,
 * and so on for `$levels` levels.
 *
 * Figures of a lane, a slot, the ceiling and a budget are read once, however many of the runs share
 * them. Executing runs are few. Waiting runs are counted to a limit, on the indexes in which they
 * wait, so that a long queue costs as little as a short one.
 */
export const selectWaitFacts = statement<WaitFacts>('selectWaitFacts').reads({
  params: {
    projectId: uuid,
    runIds: uuid.list,
    children: int,
    levels: int,
    livenessMs: float8,
    /** The silence after which a dispatcher counts as dead. */
    silenceMs: float8,
    now: instant,
  },
  text: `
    with recursive tree as (
      select id as run_id, 0 as level from run where id = any($runIds) and project_id = $projectId
      union all
      select call.child_run_id, tree.level + 1
      from tree
      cross join lateral (
        select s.child_run_id from run_step s
        where s.run_id = tree.run_id and s.status = 'waiting' and s.child_run_id is not null
          and exists (select from run_work w where w.run_id = tree.run_id and 'parked' in (w.state, w.resume_state))
        order by s.index limit case when tree.level = 0 then $children else 1 end
      ) call
      where tree.level < $levels
    ),
    waiting as materialized (
      select r.id as run_id, r.app, r.workflow, r.runner, r.status, r.attempt, r.paused_reason, r.paused_actor,
        r.started_at is null as is_early, w.state, case when w.state = 'paused' then w.resume_state else w.state end as turn,
        w.lane_id, w.slot, w.slot_key, w.gate, w.position, w.due_at, w.due_at = w.not_before as is_asked, w.retry_at, w.unanswered, w.token_key, w.claim_no, w.lease_id,
        case when w.waiting_claim_no = w.claim_no then w.waiting_for end as waiting_for
      from (select distinct run_id from tree) asked
      join run r on r.id = asked.run_id and r.project_id = $projectId
      left join run_work w on w.run_id = r.id
    ),
    beating as materialized (
      select count(*) filter (where ${isAlive})::int as dispatchers, max(heartbeat_at) as last_beat_at from dispatcher
    ),
    lane_use as materialized (
      select l.id as lane_id, has.registered, has.live, has.room, (
          select count(*)::int
          from run_work busy join lane theirs on theirs.id = busy.lane_id
          where busy.lease_id is not null and theirs.project_id = l.project_id and theirs.app = l.app
            and exists (select from runner r where ${servesLane('l')} and ${servesLane('theirs')} and ${isLiveRunner})
        ) as busy
      from lane l
      cross join lateral (
        select count(*)::int as registered, count(*) filter (where ${isLiveRunner})::int as live,
          coalesce(sum(r.max_in_flight) filter (where ${isLiveRunner}), 0)::int as room
        from runner r where ${servesLane('l')}
      ) has
      where l.id = any(array(select lane_id from waiting where ${isDue}))
    ),
    slot_use as materialized (
      select scope.slot, policy.max, used.in_use, used.holders
      from (select slot, min(lane_id) as lane_id from waiting where ${isDue} and slot is not null group by slot) scope
      cross join lateral (select ${concurrencyLimit('scope.lane_id')} as max offset 0) policy
      cross join lateral (
        select count(*)::int as in_use, (array_agg(run_id::text order by position, run_id))[1:${maxHolders}] as holders
        from run_work w where w.slot = scope.slot and w.state = 'leased'
      ) used
      where policy.max is not null
    ),
    ceiling_use as materialized (
      select p.concurrency_ceiling as max, used.in_use, used.holders
      from project p
      cross join lateral (
        select count(*)::int as in_use, (array_agg(run_id::text order by position, run_id))[1:${maxHolders}] as holders
        from run_work w where w.lease_id is not null and w.project_id = p.id
      ) used
      where p.id = $projectId and p.concurrency_ceiling > 0 and exists (select from waiting where ${isDue})
    ),
    budget as materialized (
      select held.app, held.workflow, room.has_room_at
      from (select distinct app, workflow from waiting where paused_reason = 'budget') held
      join workflow d on d.project_id = $projectId and d.app = held.app and d.name = held.workflow
      cross join lateral (${roomAtSql({ app: 'held.app', workflow: 'held.workflow', definition: 'd' })}
      ) room
    )
    select a.run_id, a.app, a.workflow, a.runner, a.status, a.attempt, a.paused_reason, a.paused_actor,
      a.state, a.turn, a.is_early, told.ts as since, a.due_at, a.is_asked, a.retry_at, a.unanswered, a.waiting_for, a.gate, a.slot_key, a.token_key,
      d.flow_control::text as flow_control, d.max_attempts, ${heldUntil('a')} as drained_until, budget.has_room_at as budget_until,
      beating.dispatchers, beating.last_beat_at,
      case when a.lease_id is not null then exists (select from dispatcher where id = a.lease_id and ${isAlive}) end as is_held,
      lane_use.registered, lane_use.live, lane_use.room, lane_use.busy,
      case when a.turn = 'ready' then (
        select count(*)::int from (
          select from run_work o where o.state = 'ready' and o.lane_id = a.lane_id and (o.position, o.run_id) < (a.position, a.run_id)
          limit ${counted}
        ) first
      ) end as ready_ahead,
      slot_use.max::int as slot_limit, slot_use.in_use as slots_in_use, slot_use.holders as slot_holders,
      case when slot_use.slot is not null then (
        select count(*)::int from (
          select from run_work o where o.state = 'gated' and o.gate = 'slot' and o.slot = a.slot and (o.position, o.run_id) < (a.position, a.run_id)
          limit ${counted}
        ) first
      ) end as gated_ahead,
      ceiling_use.max as ceiling, ceiling_use.in_use as executing, ceiling_use.holders as ceiling_holders,
      case when ceiling_use.max is not null then (
        select count(*)::int from (
          select from run_work o where o.gate = 'ceiling' and o.project_id = $projectId and (o.position, o.run_id) < (a.position, a.run_id)
          limit ${counted}
        ) first
      ) end as ceiling_ahead
    from waiting a
    cross join beating
    left join lateral (
      select max_attempts, flow_control from workflow
      where project_id = $projectId and app = a.app and name = a.workflow offset 0
    ) d on true
    left join lateral (
      select ts from run_frame f where f.run_id = a.run_id and f.kind = 'run_status' and a.state is not null
      order by f.seq desc limit 1
    ) told on true
    left join lane_use on lane_use.lane_id = a.lane_id and a.${isDue}
    left join slot_use on slot_use.slot = a.slot and a.${isDue}
    left join ceiling_use on a.${isDue}
    left join budget on budget.app = a.app and budget.workflow = a.workflow and a.paused_reason = 'budget'`,
});
