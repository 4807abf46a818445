import { bigint, float8, instant, statement } from '../../db/index.ts';
import { statusPayloadSql } from '../../timeline/index.ts';
import { hasLiveRunner } from './strandRuns.ts';

interface Row {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  laneId: number;
}

/**
 * Requeues stranded runs for which a live runner has appeared, at their former queue positions. The
 * statement costs one look-up per stranded lane. The wait for a runner ends here. So time in the
 * queue behind that runner does not count, however often it comes and goes.
 */
export const reviveRuns = statement<Row>('reviveRuns').writes({
  params: { livenessMs: float8, limit: bigint, now: instant },
  text: `
    with recursive hop as (
      (select lane_id from run_work where state = 'stranded' order by lane_id limit 1)
      union all
      select (select w.lane_id from run_work w where w.state = 'stranded' and w.lane_id > hop.lane_id
              order by w.lane_id limit 1)
      from hop where hop.lane_id is not null
    ),
    served as (
      select l.id from hop join lane l on l.id = hop.lane_id
      where ${hasLiveRunner('l')}
    ),
    picked as materialized (
      select run_id from run_work
      where state = 'stranded' and lane_id in (select id from served)
      order by lane_id, position limit $limit for update skip locked
    ),
    shown as (
      update run r set status = 'queued' from picked p where r.id = p.run_id and r.status = 'waiting' returning r.id
    ),
    work as (
      update run_work w set state = 'ready', due_at = null, stranded_at = null, seq = w.seq + (case when w.run_id in (select id from shown) then 1 else 0 end)
      from picked p
      where w.run_id = p.run_id
      returning w.run_id, w.lane_id, w.seq, w.run_id in (select id from shown) as shown
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', $clock, ${statusPayloadSql('queued')} from work where shown
    )
    select r.id as run_id, r.project_id, r.app, r.workflow, k.lane_id from work k join run r on r.id = k.run_id
  `,
});
