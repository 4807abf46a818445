import { statement } from '../../db/index.ts';
import type { PassCommit } from '../commit.ts';
import { statusOf } from '../consequences.ts';
import { statusPayload, stepPayload } from '../framePayload.ts';
import type { CommittedRow } from './commitPasses.ts';

/**
 * Whether a commit is of the kind that nearly all are: steps that were settled, with more to do at once, or the end of a
 * run that has nothing open and concerns nobody else; no log, no wait, no retry.
 */
export function isPlain({ pass, next, steps, waits, logs, attempt, transportFailures }: PassCommit): boolean {
  if (next.kind === 'park' || next.kind === 'retry' || waits.length > 0 || logs.length > 0) return false;
  if (attempt !== pass.attempt || transportFailures !== 0) return false;
  if (next.kind === 'finish' && (pass.memo.hasOpen || pass.parentRunId !== undefined || pass.hasOnFailure))
    return false;
  return steps.every(
    (step) => step.status !== 'waiting' && step.runAfter === undefined && step.childRunId === undefined,
  );
}

/**
 * What `commitPasses` does, for plain commits only: a fifth of its nodes, and so two thirds of its time for a lone answer.
 * Frames are numbered by position, as none can turn out to be a repeat. A run that is to be paused is not answered for, no
 * more than one whose lease is lost: `commitPasses` decides about both.
 */
export const commitPlain = statement<{ commits: readonly PassCommit[]; now: Date | null }, CommittedRow>({
  name: 'commitPlain',
  writes: true,
  text: `
    with locked as (
      select w.run_id, w.seq, w.wakes, p.ord, p.frames, p.status, p.status_frame, p.result, p.error
      from (
        select * from unnest($2::int[], $3::uuid[], $4::uuid[], $5::int[], $6::int[], $7::text[], $8::json[], $9::json[],
          $10::json[]) as p(ord, run_id, lease_id, claim_no, frames, status, status_frame, result, error)
        order by run_id offset 0
      ) p
      cross join lateral (select * from run_work where run_id = p.run_id for update) w
      where w.lease_id = p.lease_id and w.claim_no = p.claim_no and w.state = 'leased' and not w.pausing
    ),
    instant as materialized (
      select coalesce($1::timestamptz, max(clock_timestamp())) as settled_at from locked
    ),
    step as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, will_retry,
        started_at, ended_at)
      select l.run_id, s.index, s.attempt, s.step_id, s.name, s.op, s.status, s.input, s.output, s.error, s.ai, s.usage,
        false, i.settled_at - s.elapsed_ms * interval '1 ms', i.settled_at
      from unnest($11::int[], $12::int[], $13::int[], $14::text[], $15::text[], $16::text[], $17::text[], $18::json[],
        $19::json[], $20::json[], $21::json[], $22::json[], $23::float8[])
        as s(ord, index, attempt, step_id, name, op, status, input, output, error, ai, usage, elapsed_ms)
      join locked l on l.ord = s.ord
      cross join instant i
      on conflict (run_id, index, attempt) do nothing
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select l.run_id, l.seq + f.position, 'step_status', (select settled_at from instant), f.payload
      from unnest($24::int[], $25::int[], $26::json[]) as f(ord, position, payload) join locked l on l.ord = f.ord
      union all
      select run_id, seq + frames, 'run_status', (select settled_at from instant), status_frame
      from locked where status is not null
    ),
    carried as (
      update run_work w set seq = w.seq + l.frames, claim_no = w.claim_no + 1, transport_failures = 0
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
      coalesce($1::timestamptz, now()) as now, (select settled_at from instant)::timestamptz(3) as dated
    from locked
  `,
  values: ({ commits, now }) => [now, ...passColumns(commits), ...stepColumns(commits), ...frameColumns(commits)],
});

function passColumns(commits: readonly PassCommit[]): unknown[][] {
  const ends = commits.map(({ next }) => (next.kind === 'finish' ? next : undefined));
  return [
    commits.map((_, ord) => ord),
    commits.map((each) => each.pass.runId),
    commits.map((each) => each.pass.dispatcherId),
    commits.map((each) => each.pass.claimNo),
    commits.map((each, ord) => each.steps.length + (ends[ord] ? 1 : 0)),
    commits.map((each) => statusOf(each) ?? null),
    ends.map((end) => end && statusPayload(end.status, end.error)),
    ends.map((end) => end?.result ?? null),
    ends.map((end) => end?.error ?? null),
  ];
}

function stepColumns(commits: readonly PassCommit[]): unknown[][] {
  const rows = commits.flatMap((commit, ord) => commit.steps.map((step) => ({ ord, step })));
  return [
    rows.map((row) => row.ord),
    rows.map(({ step }) => step.index),
    rows.map(({ step }) => step.attempt),
    rows.map(({ step }) => step.stepId),
    rows.map(({ step }) => step.name),
    rows.map(({ step }) => step.op),
    rows.map(({ step }) => step.status),
    rows.map(({ step }) => step.input ?? null),
    rows.map(({ step }) => step.output ?? null),
    rows.map(({ step }) => step.error ?? null),
    rows.map(({ step }) => step.ai ?? null),
    rows.map(({ step }) => step.usage ?? null),
    rows.map(({ step }) => step.elapsedMs),
  ];
}

function frameColumns(commits: readonly PassCommit[]): unknown[][] {
  const rows = commits.flatMap((commit, ord) => commit.steps.map((step, position) => ({ ord, step, position })));
  return [rows.map((row) => row.ord), rows.map((row) => row.position + 1), rows.map(({ step }) => stepPayload(step))];
}
