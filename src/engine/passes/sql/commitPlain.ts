import { instant, int, json, ordinal, rowset, statement, text } from '../../db/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';
import { statusPayload, stepPayload } from '../../timeline/index.ts';
import { type PassCommit, statusOf } from '../commit.ts';
import { type Commits, type CommittedStep, fence, stepColumns, stepsOf } from './commitColumns.ts';
import type { CommittedRow } from './commitPasses.ts';

/**
 * Whether a commit is plain, as nearly all are where no webhook endpoint listens. A plain commit
 * settles steps of a run that continues at once, or ends a run without open steps, parent or
 * handler. A plain commit has no log, no wait and no retry.
 */
export function isPlain(commit: PassCommit): boolean {
  const { pass, next, steps, waits, logs, attempt, hasOnFailure } = commit;
  if (commit.hasEndpoints) return false;
  if (next.kind === 'park' || next.kind === 'retry' || waits.length > 0 || logs.length > 0) return false;
  if (attempt !== pass.attempt || commit.unanswered > 0 || commit.repeats > 0) return false;
  if (next.kind === 'finish' && (pass.memo.hasOpen || pass.parentRunId !== undefined || hasOnFailure)) return false;
  if (next.kind === 'finish' && pass.started.size > 0) return false;
  return steps.every(
    ({ status, runAfter, childRunId, eventName }) =>
      status !== 'waiting' && runAfter === undefined && childRunId === undefined && eventName === undefined,
  );
}

/**
 * The same as `commitPasses`, for plain commits only. The statement has a fifth of the nodes, and a
 * lone answer takes a third less time. Frames are numbered by position, because none can be a
 * repeat. The statement skips runs to be paused, runs with endpoints to tell, and lost leases:
 * `commitPasses` decides about them.
 */
export const commitPlain = statement<CommittedRow>('commitPlain').writes({
  params: {
    now: instant,
    passes: rowset({
      ord: ordinal,
      ...fence,
      frames: int.of(({ steps, next }: PassCommit) => steps.length + (next.kind === 'finish' ? 1 : 0)),
      status: text.orNull.of(statusOf),
      statusFrame: json.orNull.of(({ next }: PassCommit) =>
        next.kind === 'finish' ? statusPayload(next.status, next.error) : null,
      ),
      result: json.orNull.of(({ next }: PassCommit) => (next.kind === 'finish' ? next.result : null)),
      error: json.orNull.of(({ next }: PassCommit) => (next.kind === 'finish' ? next.error : null)),
    }).of(({ commits }: Commits) => commits),
    steps: rowset({ ord: int, ...stepColumns }).of(stepsOf),
    frames: rowset({
      ord: int,
      number: int.of(({ position }: CommittedStep) => position + 1),
      payload: json.of(({ step }: CommittedStep) => stepPayload(step)),
    }).of(stepsOf),
  },
  text: `
    with locked as (
      select w.run_id, w.seq, w.wakes, p.ord, p.frames, p.status, p.status_frame, p.result, p.error
      from (
        select * from $passes as p order by run_id offset 0
      ) p
      cross join lateral (select * from run_work where run_id = p.run_id for update) w
      where w.lease_id = p.lease_id and w.claim_no = p.claim_no and w.state = 'leased' and not w.pausing
        and not ${hasEndpointsSql('w.project_id')}
    ),
    instant as materialized (
      select max($clock) as settled_at from locked
    ),
    step as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, will_retry,
        started_at, ended_at)
      select l.run_id, s.index, s.attempt, s.step_id, s.name, s.op, s.status, s.input, s.output, s.error, s.ai, s.usage,
        false, i.settled_at - s.elapsed_ms * interval '1 ms', i.settled_at
      from $steps as s
      join locked l on l.ord = s.ord
      cross join instant i
      on conflict (run_id, index, attempt) do nothing
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select l.run_id, l.seq + f.number, 'step_status', (select settled_at from instant), f.payload
      from $frames as f join locked l on l.ord = f.ord
      union all
      select run_id, seq + frames, 'run_status', (select settled_at from instant), status_frame
      from locked where status is not null
    ),
    carried as (
      update run_work w set seq = w.seq + l.frames, claim_no = w.claim_no + 1, unanswered = 0, repeats = 0,
        transport_failures = 0
      from locked l where l.status is null and w.run_id = l.run_id
    ),
    finished as (
      delete from run_work w using locked l where l.status is not null and w.run_id = l.run_id
    ),
    shown as (
      update run r set status = l.status, result = l.result, error = l.error,
        ended_at = i.settled_at, paused_reason = null, paused_actor = null
      from locked l cross join instant i where l.status is not null and r.id = l.run_id
    )
    select ord, status is null as kept, false as paused, wakes, seq + frames as seq, frames, null::uuid[] as withdrawn,
      $now as now, (select settled_at from instant)::timestamptz(3) as dated
    from locked
  `,
});
