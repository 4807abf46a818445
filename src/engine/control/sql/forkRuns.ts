import { bigint, bool, instant, int, json, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import type { QueueShape } from '../../flow/index.ts';
import type { RawJson } from '../../json/index.ts';
import { copiedColumns, type RunRow, runColumns } from '../../runs/index.ts';
import { endedStepPayloadSql, statusPayloadSql } from '../../timeline/index.ts';
import { isRetryWithdrawnSql, queuePosition } from '../../work/index.ts';

export interface Fork extends QueueShape {
  sourceId: string;
  /** The id of the new run. */
  runId: string;
  version: string;
  laneId: number;
  /** Digest of the singleton whose holder it is. */
  singleton: string | undefined;
  /** Before this it does not start; undefined: at once. */
  startAt: Date | undefined;
}

/**
 * Inserts forks of ended runs, with their queue rows and first frames. Payloads never leave the
 * database. The statement writes nothing if `registryVersion` is not current. A step is not copied
 * if the end of the source cut off its latest attempt, by cancelling it or by withdrawing its
 * retry. The new run executes such a step. Copied rows keep their times, which order the memo.
 */
export const forkRuns = statement<RunRow>('forkRuns').writes({
  params: {
    projectId: uuid,
    /** The version of the snapshot that the forks were decided on. */
    registryVersion: bigint,
    /** Replaces the input of the sources; undefined keeps it. */
    input: json.orNull.of(({ input }: { input: RawJson | undefined }) => input?.text),
    /** Settled steps before this index are copied; undefined: none. */
    boundary: int.orNull,
    now: instant,
    forks: rowset({
      sourceId: uuid,
      runId: uuid,
      version: text,
      laneId: int,
      slot: bigint.orNull,
      slotKey: text.orNull.of((each: Fork) => each.slotScope),
      shiftMs: bigint,
      tokenKey: text.orNull.of((each: Fork) => each.tokenScope),
      maxDurationMs: bigint.orNull.of((each: Fork) => each.maxDurationMs),
      cancellable: bool,
      singleton: bigint.orNull.of((each: Fork) => each.singleton),
      startAt: timestamptz.orNull,
    }),
  },
  text: `
    with fork as (
      select f.*, coalesce(start_at > $now, false) as is_early
      from $forks as f
      where exists (select from project where id = $projectId and registry_version = $registryVersion)
    ),
    made as (
      insert into run (id, project_id, version, status, replay_of, input, events, created_at, event_at, start_at,
        ${copiedColumns})
      select f.run_id, r.project_id, f.version, 'queued', r.id, coalesce($input, r.input),
        case when $input is null then r.events end, $now,
        coalesce(r.event_at, r.created_at), case when f.is_early then f.start_at end,
        ${copiedColumns}
      from fork f join run r on r.id = f.source_id
      where r.project_id = $projectId and r.ended_at is not null
      returning ${runColumns('run')}
    ),
    settled as (
      select index from (
        select distinct on (index) index, status, will_retry or ${isRetryWithdrawnSql} as is_cut_off from run_step
        where run_id = ($forks.sourceId)[1] and index < $boundary
        order by index, attempt desc
      ) latest
      where status in ('succeeded', 'skipped') or (status = 'failed' and not is_cut_off)
    ),
    carried as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, run_after,
        will_retry, retry_withdrawn, event_name, child_run_id, started_at, ended_at)
      select m.id, s.index, s.attempt, s.step_id, s.name, s.op, s.status, s.input, s.output, s.error, s.ai, s.usage,
        s.run_after, s.will_retry, s.retry_withdrawn, s.event_name, s.child_run_id, s.started_at, s.ended_at
      from made m join run_step s on s.run_id = m.replay_of
      where s.index < $boundary and s.index in (select index from settled)
      returning run_id, index, attempt, name, status, error, will_retry, run_after, started_at, ended_at
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select id, 1, 'run_status', $now, ${statusPayloadSql('queued')}::json from made
      union all
      select run_id, 1 + row_number() over (order by index, attempt), 'step_status', $now,
        ${endedStepPayloadSql}
      from carried
    ),
    queued as (
      insert into run_work (run_id, project_id, lane_id, state, due_at, position, seq, slot, slot_key, token_key, shift_ms,
        singleton, ends_at, cancellable)
      select m.id, $projectId, f.lane_id, case when f.is_early then 'parked' else 'ready' end, case when f.is_early then f.start_at end,
        ${queuePosition('greatest(f.start_at, $clock)', 'f.shift_ms')},
        1 + (select count(*) from carried), f.slot, f.slot_key, f.token_key, nullif(f.shift_ms, 0), f.singleton,
        greatest(f.start_at, $now) + f.max_duration_ms * interval '1 ms', f.cancellable
      from made m join fork f on f.run_id = m.id
    )
    select * from made
  `,
});
