import { bigint, float8, instant, statement } from '../../db/index.ts';
import { waitingForSql, waitingPayloadSql } from '../../timeline/index.ts';

/** SQL: whether a row `r` of `runner` could execute the runs of a row of `lane` (4.10 routing). */
export const servesLane = (lane: string): string => `r.project_id = ${lane}.project_id and r.app = ${lane}.app
          and ${lane}.workflow = any(r.workflows) and (${lane}.runner = '' or r.runner_id = ${lane}.runner)`;

/** SQL: whether a row `r` of `runner` is live. The statement has `$livenessMs` and `$now`. */
export const isLiveRunner = "(r.connected and r.last_seen_at > $now - $livenessMs * interval '1 ms')";

/** SQL: whether a live runner could execute the runs of a row of `lane`. */
export const hasLiveRunner = (lane: string): string => `exists (
        select from runner r
        where ${servesLane(lane)} and ${isLiveRunner})`;

interface Row {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  /** The time until its wait times out. The wait may have begun long ago. */
  dueInMs: number;
}

/**
 * Strands ready runs that no live runner can execute (4.10 routing). The recursive part hops over
 * the distinct lanes of the ready index, so a backlog costs one look-up per lane. `stranded_at`
 * survives a pause, which does not count as waiting (`resumeRuns`). The column is reset after a
 * runner has appeared.
 */
export const strandRuns = statement<Row>('strandRuns').writes({
  params: {
    livenessMs: float8,
    /** How long a run may wait for a runner. */
    waitMs: float8,
    limit: bigint,
    now: instant,
  },
  text: `
    with recursive hop as (
      (select lane_id from run_work where state = 'ready' order by lane_id limit 1)
      union all
      select (select w.lane_id from run_work w where w.state = 'ready' and w.lane_id > hop.lane_id order by w.lane_id limit 1)
      from hop where hop.lane_id is not null
    ),
    deserted as (
      select l.id from hop join lane l on l.id = hop.lane_id
      where not ${hasLiveRunner('l')}
    ),
    picked as materialized (
      select w.run_id from deserted d
      cross join lateral (
        select run_id from run_work where state = 'ready' and lane_id = d.id
        order by position, run_id limit $limit for update skip locked
      ) w
      limit $limit
    ),
    shown as (
      update run r set status = 'waiting' from picked p where r.id = p.run_id and r.status in ('queued', 'running')
      returning r.id
    ),
    work as (
      update run_work w set state = 'stranded',
        stranded_at = coalesce(w.stranded_at, $now),
        due_at = coalesce(w.stranded_at, $now) + $waitMs * interval '1 ms',
        seq = w.seq + (case when w.run_id in (select id from shown) then 1 else 0 end)
      from picked p
      where w.run_id = p.run_id
      returning w.run_id, w.seq, w.due_at, w.run_id in (select id from shown) as shown
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', $clock, ${waitingPayloadSql("'waiting'", waitingForSql('runner', 'due_at'))}
      from work where shown
    )
    select r.id as run_id, r.project_id, r.app, r.workflow,
      (extract(epoch from k.due_at - $now) * 1000)::float8 as due_in_ms
    from work k join run r on r.id = k.run_id
  `,
});
