import { float8, instant, int, json, ordinality, rowset, statement, text, uuid } from '../../db/index.ts';
import { stepPayload } from '../../timeline/index.ts';
import type { Pass } from '../pass.ts';

/** A step that a runner executes. */
export interface StartedRow {
  pass: Pass;
  /** The claim of the invoke: a commit advances that of the pass. */
  claimNo: number;
  stepId: string;
  name: string;
  index: number;
  attempt: number;
  /** Since its body was called. */
  elapsedMs: number;
}

/**
 * Records started steps in the queue rows of their runs, each once per claim. The fence is that of
 * a commit. A step has one frame per attempt: a pass that is sent again finds that of the pass
 * before. Of former passes the entries of the last three claim numbers are kept for that.
 */
export const recordStarted = statement<{ runId: string }>('recordStarted').writes({
  params: {
    now: instant,
    steps: rowset({
      runId: uuid.of(({ pass }: StartedRow) => pass.runId),
      leaseId: uuid.of(({ pass }: StartedRow) => pass.dispatcherId),
      claimNo: int,
      stepId: text,
      name: text,
      index: int,
      attempt: int,
      elapsedMs: float8,
      payload: json.of((row: StartedRow) =>
        stepPayload({ ...row, status: 'running', error: undefined, willRetry: false }),
      ),
      position: ordinality,
    }),
  },
  text: `
    with told as (select * from $steps as s),
    locked as (
      select w.run_id, w.seq, w.claim_no, coalesce(w.started, '[]') as started
      from (select distinct run_id, lease_id, claim_no from told order by run_id offset 0) p
      cross join lateral (select * from run_work where run_id = p.run_id for update) w
      where w.lease_id = p.lease_id and w.claim_no = p.claim_no and w.state = 'leased'
    ),
    instant as materialized (
      select max($clock) as told_at from locked
    ),
    entry as (
      select l.run_id, l.seq, t.position, t.payload,
        l.started @> jsonb_build_array(jsonb_build_object('id', t.step_id, 'index', t.index, 'attempt', t.attempt)) as is_known,
        jsonb_build_object('claimNo', l.claim_no, 'id', t.step_id, 'name', t.name, 'index', t.index, 'attempt', t.attempt,
          'at', i.told_at - t.elapsed_ms * interval '1 ms') as step
      from locked l
      join told t on t.run_id = l.run_id and t.claim_no = l.claim_no
      cross join instant i
      where not l.started @> jsonb_build_array(jsonb_build_object('id', t.step_id, 'claimNo', l.claim_no))
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq + row_number() over (partition by run_id order by position), 'step_status',
        (select told_at from instant), payload
      from entry where not is_known
    ),
    added as (
      select run_id, count(*) filter (where not is_known) as frames, jsonb_agg(step order by position) as steps
      from entry group by run_id
    )
    update run_work w set
      seq = l.seq + a.frames,
      started = a.steps || coalesce((
        select jsonb_agg(former) from jsonb_array_elements(l.started) former
        where (former->>'claimNo')::int > l.claim_no - 3
      ), '[]')
    from added a join locked l on l.run_id = a.run_id
    where w.run_id = a.run_id
    returning w.run_id
  `,
});
