import { pausedPayloadSql } from '../../timeline/index.ts';

/** A run whose lease was ended. */
export interface FreedRow {
  laneId: number;
  projectId: string;
  slot: string | null;
  /** Whether it can be claimed now; else it is paused. */
  isReady: boolean;
}

/** SQL: the answer of a statement that ends with `endLeasesSql`. */
export const freedRowsSql = "select lane_id, project_id, slot::text, state = 'ready' as is_ready from freed";

/**
 * Common table expressions that end the leases of the runs in `orphan (run_id)`, which are locked.
 * `freed` has their lanes and slots. A run can be claimed at once, at its queue position. A run
 * that was to be paused at the end of its pass is paused here.
 */
export const endLeasesSql = `
    freed as (
      update run_work w set
        state = case when w.pausing then 'paused' else 'ready' end,
        resume_state = case when w.pausing then 'ready' end,
        pausing = false, lease_id = null, claim_no = w.claim_no + 1,
        seq = w.seq + case when w.pausing then 1 else 0 end
      from orphan o
      where w.run_id = o.run_id
      returning w.run_id, w.lane_id, w.seq, w.state, w.slot, w.project_id
    ),
    halted as (
      update run r set status = 'paused' from freed f
      where f.state = 'paused' and r.id = f.run_id
      returning r.id as run_id, f.seq, ${pausedPayloadSql('r.paused_reason', 'r.paused_actor')} as payload
    ),
    told as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', $clock, payload from halted
    )`;
