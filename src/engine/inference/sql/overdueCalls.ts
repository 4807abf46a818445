import { instant, int, rowset, statement, uuid } from '../../db/index.ts';

/** Waiting calls whose deadline has passed, the longest overdue first. They are not locked. */
export const overdueCalls = statement<{ runId: string; stepIndex: number }>('overdueCalls').reads({
  params: { now: instant, limit: int },
  text: `
    select run_id, step_index from inference_call
    where paused_at is null and lease_id is null and deadline_at <= $now
    order by deadline_at limit $limit
  `,
});

export interface OverdueRow {
  runId: string;
  stepIndex: number;
  attempt: number;
  projectId: string;
  app: string;
  workflow: string;
  provider: string;
  model: string;
  /** Whether the run is paused, or about to be. */
  isPaused: boolean;
  isCapped: boolean;
  wasClaimed: boolean;
  /** Since when its lane is held, and why; null: it is not. */
  heldSince: Date | null;
  heldFor: string | null;
  /** Why its last send failed; null: none did. */
  lastError: string | null;
  /** The calls of its key in flight. */
  inFlight: number;
}

/**
 * Locks calls that are still overdue, and reads what kept them waiting. The transaction has locked
 * their runs.
 */
export const lockOverdueCalls = statement<OverdueRow>('lockOverdueCalls').reads({
  params: { now: instant, calls: rowset({ runId: uuid, stepIndex: int }) },
  text: `
    select c.run_id, c.step_index, c.attempt, c.project_id, r.app, r.workflow, c.provider, c.model, w.state = 'paused' or w.pausing as is_paused, c.is_capped,
      c.claim_no > 0 as was_claimed, l.held_since, l.held_for,
      (select s.error from inference_send s
        where s.run_id = c.run_id and s.step_index = c.step_index and s.attempt = c.attempt and s.number = c.sends) as last_error,
      (select count(*) from inference_call f
        where f.lease_id is not null and not f.looks_up and f.key_id = c.key_id)::int as in_flight
    from $calls as k
    join inference_call c on c.run_id = k.run_id and c.step_index = k.step_index
    join run_work w on w.run_id = c.run_id
    join run r on r.id = c.run_id
    left join inference_lane l on l.id = c.lane_id and l.held_since is not null
    where c.paused_at is null and c.lease_id is null and c.deadline_at <= $now
    order by c.run_id, c.step_index
    for update of c
  `,
});
