import { bool, instant, json, rowset, statement, text, uuid } from '../../db/index.ts';
import { tellEndpointsSql } from '../../lifecycle/index.ts';
import type { TerminalStatus } from '../../runs/index.ts';
import { endedPayloadSql, stepPayloadSql } from '../../timeline/index.ts';
import { endStepsSql } from '../../work/index.ts';

export interface FinishedRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  /** Whether a dispatcher was executing it. */
  wasLeased: boolean;
  /** The slot that the run occupied, or that was granted to it; null if it had none. */
  freedSlot: string | null;
  /** From its first pass to its end, in ms; null if it had no pass. */
  durationMs: number | null;
  /** Its open approvals, which are cancelled with it. */
  withdrawn: string[] | null;
}

/**
 * Ends unfinished runs from outside a pass. Their steps and waits end with them, and a commit in
 * progress finds its lease lost. An ended run has no row of `run_work`, and is not answered.
 */
export const finishRuns = statement<FinishedRow>('finishRuns').writes({
  params: {
    status: text.narrow<Extract<TerminalStatus, 'failed' | 'cancelled'>>(),
    /** Only runs of this project; null when the service itself ends them. */
    projectId: uuid.orNull,
    /**
     * Only runs whose work is in this state and overdue. A stranded run may have found a runner
     * meanwhile.
     */
    onlyStranded: bool,
    /** Only runs whose `maxDuration` is over. The start of a delayed run may have been put off. */
    onlyOverrun: bool,
    /** Only runs that have not begun within their time to live. A claim may have come first. */
    onlyExpired: bool,
    now: instant,
    ends: rowset({ runId: uuid, error: json.orNull }),
  },
  text: `
    with ends as (select * from $ends as e),
    locked as (
      select w.run_id, w.seq, w.state, w.claim_no, w.started, w.project_id, w.slot, e.error
      from run_work w join ends e on e.run_id = w.run_id
      where ($projectId is null or w.project_id = $projectId)
        and (not $onlyStranded or (w.state = 'stranded' and w.due_at <= $now))
        and (not $onlyOverrun or w.ends_at <= $now)
        and (not $onlyExpired or (w.claim_no = 0 and w.expires_at <= $now))
      order by w.run_id for update of w
    ),
    instant as materialized (
      select max($clock) as ended_at from locked
    ),
${endStepsSql()},
${tellEndpointsSql(`
      select project_id, run_id, 'run.' || $status as event_kind, $status as run_status, null::int as step_index,
        null::int as step_attempt, (select ended_at from instant) as at
      from locked`)},
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select f.run_id, f.seq + row_number() over (partition by f.run_id order by f.position), f.kind,
        (select ended_at from instant), f.payload
      from (
        select run_id, seq, index as position, 'step_status' as kind,
          ${stepPayloadSql} as payload
        from cancelled
        union all
        select l.run_id, l.seq, 2000000, 'run_status',
          ${endedPayloadSql('$status', 'l.error')}
        from locked l
      ) f
    ),
    work as (delete from run_work w using locked l where w.run_id = l.run_id),
    outcome as (
      insert into run_outcome (run_id, created_at, lacked_runner) select run_id, $now, $onlyStranded from locked
    ),
    shown as (
      update run r set status = $status, error = l.error, ended_at = (select ended_at from instant),
        paused_reason = null, paused_actor = null
      from locked l where r.id = l.run_id
      returning r.id as run_id, r.project_id, r.app, r.workflow, l.state = 'leased' as was_leased,
        case when l.state in ('leased', 'ready') then l.slot::text end as freed_slot,
        (extract(epoch from r.ended_at - r.started_at) * 1000)::float8 as duration_ms
    )
    select *, (select array_agg(w.id) from withdrawn w where w.run_id = shown.run_id) as withdrawn from shown
  `,
});
