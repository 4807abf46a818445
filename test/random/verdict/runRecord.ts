import type { Scene } from '../storm/process.ts';

export interface StepRecord {
  name: string;
  index: number;
  attempt: number;
  op: string;
  status: string;
  output: unknown;
  error: { name?: string; message: string } | null;
  will_retry: boolean;
  run_after: string | null;
  child_run_id: string | null;
  started_at: string;
  ended_at: string | null;
}

export interface ApprovalRecord {
  id: string;
  step: string;
  status: string;
  on_timeout: string;
  /** Whether the deadline had passed at the time of the decision. */
  was_overdue: boolean | null;
  has_deadline: boolean;
  decided_by: string | null;
}

export interface RunRecord {
  id: string;
  workflow: string;
  status: string;
  trigger_kind: string;
  attempt: number;
  result: unknown;
  error: { message: string } | null;
  created_at: string;
  event_id: string | null;
  replay_of: string | null;
  parent_run_id: string | null;
  parent_step: string | null;
  parent_attempt: number | null;
  on_failure_of: string | null;
  /**
   * The value at the policies' key in the run's origin; for a follow-on run, in the failed run's
   * origin.
   */
  key: string | null;
  /** Identifies the run's origin: an event, or the input of a call. */
  marker: string | null;
  /** For a batch, the markers of its events. */
  events: (string | null)[] | null;
  /** Whether it came from a buffer: it began later than its origin. */
  is_flushed: boolean;
  /** For a run of a schedule: its due time. */
  scheduled_at: string | null;
  /** The time to which its start was delayed. */
  start_at: string | null;
  /** The usage of its AI steps. */
  usage: { index: number; attempt: number; tokens: number }[] | null;
  /** In the order in which they settled; the latest attempt of each. */
  steps: StepRecord[] | null;
  rows: StepRecord[] | null;
  approvals: ApprovalRecord[] | null;
  /** The statuses in the journal, in order. */
  statuses: string[] | null;
  doubled: number;
  scores: number;
  /** What the journal says has ended: `run.succeeded`, `step.failed/2/1`. */
  ends: string[];
  /** What endpoints are told, written alike. */
  told: string[];
  /** Custom sends. */
  sent: number;
  emitted: number;
}

/** All facts about the runs of a project, in one query. */
export async function runsOf({ db, projectId }: Scene): Promise<Map<string, RunRecord>> {
  const { rows } = await db.query<{ run: string }>({
    name: 'runsOfProject',
    text: `
      select json_build_object('id', r.id, 'workflow', r.workflow, 'status', r.status, 'attempt', r.attempt,
        'trigger_kind', r.trigger_kind, 'result', r.result, 'error', r.error, 'created_at', r.created_at, 'start_at', r.start_at,
        'event_id', r.event_id, 'replay_of', r.replay_of, 'parent_run_id', r.parent_run_id,
        'parent_step', r.parent_step, 'parent_attempt', r.parent_attempt, 'on_failure_of', r.on_failure_of,
        'marker', coalesce(r.event_id::text, r.input ->> 'name', r.input ->> 'scheduledAt'),
        'events', (select json_agg(coalesce(e ->> 'id', e -> 'data' ->> 'name', e -> 'data' ->> 'scheduledAt'))
          from json_array_elements(r.events) e),
        'is_flushed', r.replay_of is null and r.on_failure_of is null and r.event_at is not null,
        'key', case when r.on_failure_of is null then r.input ->> 'key' else r.input -> 'event' -> 'data' ->> 'key' end,
        'scheduled_at', case when r.trigger_kind = 'cron' then r.input ->> 'scheduledAt' end,
        'steps', (select json_agg(s order by s.ended_at nulls last, s.index) from (
          select distinct on (index) * from run_step where run_id = r.id order by index, attempt desc) s),
        'rows', (select json_agg(s order by s.index, s.attempt) from run_step s where s.run_id = r.id),
        'approvals', (select json_agg(a) from (
          select id, step, status, on_timeout, decided_by, expires_at is not null as has_deadline,
            decided_at >= expires_at as was_overdue
          from approval where run_id = r.id order by id) a),
        'usage', (select json_agg(json_build_object('index', step_index, 'attempt', attempt,
          'tokens', coalesce(tokens_in, 0) + coalesce(tokens_out, 0)) order by step_index, attempt)
          from ai_usage where run_id = r.id),
        'statuses', (select json_agg(payload ->> 'status' order by seq) from run_frame
          where run_id = r.id and kind = 'run_status'),
        'doubled', (select count(*) from (
          select 1 from run_frame where run_id = r.id and kind = 'step_status'
          group by payload ->> 'step', payload ->> 'attempt', payload ->> 'status' having count(*) > 1) d),
        'ends', (select coalesce(json_agg(case when kind = 'run_status' then 'run.' || (payload ->> 'status')
            else concat('step.', payload ->> 'status', '/', payload ->> 'index', '/', payload ->> 'attempt') end), '[]')
          from run_frame where run_id = r.id and kind <> 'log' and payload ->> 'willRetry' is null
            and (payload ->> 'status' in ('succeeded', 'failed', 'skipped')
              or (kind = 'run_status' and payload ->> 'status' = 'cancelled'))),
        'told', (select coalesce(json_agg(concat_ws('/', event_kind, step_index, step_attempt)), '[]')
          from webhook_delivery where run_id = r.id and event_kind <> 'custom'),
        'scores', (select count(*) from score where run_id = r.id),
        'sent', (select count(*) from webhook_delivery where run_id = r.id and event_kind = 'custom'),
        'emitted', (select count(*) from event where source_run_id = r.id))::text as run
      from run r where r.project_id = $1 order by r.id`,
    values: [projectId],
  });
  const runs: RunRecord[] = rows.map((row) => JSON.parse(row.run));
  return new Map(runs.map((run) => [run.id, run]));
}
