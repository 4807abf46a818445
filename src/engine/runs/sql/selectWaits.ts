import { statement, uuid } from '../../db/index.ts';

/** The rows from which the wait of a run is told. */
export interface WaitRow {
  runId: string;
  state: string;
  /** JSON text of the wait that the last commit recorded; null if something changed since. */
  waitingFor: string | null;
  dueAt: Date | null;
  retryAt: Date | null;
  unanswered: number;
  /** Whether the run has not started yet. */
  isEarly: boolean;
  /** The first open approval. Its deadline is null once it has escalated. */
  approval: string | null;
  deadline: Date | null;
  /** The open step that goes on first; null if `waitingFor` is there. */
  step: string | null;
  op: string | null;
  willRetry: boolean | null;
  runAfter: Date | null;
  /** JSON text. */
  error: string | null;
}

/**
 * Why runs do not execute. Rides primary keys, one row for each run. Steps are read only for runs
 * whose wait no commit of this version recorded, because that takes all steps of the run.
 */
export const selectWaits = statement<WaitRow>('selectWaits').reads({
  params: { runIds: uuid.list },
  text: `
    select w.run_id, w.state, case when told.holds then w.waiting_for end as waiting_for, w.due_at, w.retry_at, w.unanswered,
      r.status = 'queued' as is_early, asked.step as approval, asked.deadline,
      open.name as step, open.op, open.will_retry, open.run_after, open.error
    from run_work w
    join run r on r.id = w.run_id
    cross join lateral (
      select w.waiting_for is not null and w.waiting_claim_no is not distinct from w.claim_no as holds
    ) told
    left join lateral (
      select step, case when status = 'pending' then expires_at end as deadline
      from approval
      where run_id = w.run_id and status in ('pending', 'escalated') and r.status = 'needs_attention'
      order by step_index limit 1
    ) asked on true
    left join lateral (
      select name, op, will_retry, run_after, error
      from run_step s
      where s.run_id = w.run_id and w.state = 'parked' and not told.holds and r.status <> 'queued'
        and (s.status = 'waiting' or (s.will_retry and not exists (select from run_step later
          where later.run_id = s.run_id and later.index = s.index and later.attempt > s.attempt)))
      order by s.run_after nulls last, s.index
      limit 1
    ) open on true
    where w.run_id = any($runIds)`,
});
