import { rowset, statement, timestamptz, uuid } from '../../db/index.ts';

export interface CancellationRow {
  runId: string;
  /** JSON text. */
  error: string | null;
  /** Whether the audit log has a call on this very run, and the name of its key. */
  isCalled: boolean;
  actor: string | null;
  /** The parent, if it had ended before. */
  endedParentId: string | null;
  /** Whether runs were cancelled by a filter at about that time, and the name of the key. */
  isBulk: boolean;
  bulkActor: string | null;
  /** A run that took its singleton at that time. */
  displacedBy: string | null;
}

/**
 * Why runs of a project were cancelled. A bulk call is recorded after its last run, and names no
 * runs. A run that takes a singleton is created in the transaction that ends the holder.
 */
export const selectCancellations = statement<CancellationRow>('selectCancellations').reads({
  params: {
    projectId: uuid,
    runs: rowset({ runId: uuid, endedAt: timestamptz, auditFrom: uuid, auditUpto: uuid }),
  },
  text: `
    select r.id as run_id, r.error::text as error, called.id is not null as is_called, called.actor, parent.id as ended_parent_id,
      bulk.id is not null as is_bulk, bulk.actor as bulk_actor, taken.id as displaced_by
    from $runs as c
    join run r on r.id = c.run_id and r.project_id = $projectId
    left join lateral (
      select id, actor from control_action a
      where a.run_id = r.id and a.project_id = $projectId and a.action = 'cancel'
      order by a.id desc limit 1
    ) called on true
    left join run parent on parent.id = r.parent_run_id and parent.project_id = $projectId and parent.ended_at <= c.ended_at
    left join lateral (
      select id, actor from control_action a
      where a.project_id = $projectId and a.id >= c.audit_from and a.id < c.audit_upto and a.action = 'bulk_cancel'
      order by a.id limit 1
    ) bulk on true
    left join lateral (
      select flow_control from workflow where project_id = $projectId and app = r.app and name = r.workflow offset 0
    ) d on true
    left join lateral (
      select id from run o
      where o.project_id = $projectId and o.workflow = r.workflow and o.app = r.app and o.id <> r.id
        and o.created_at between c.ended_at - interval '2 seconds' and c.ended_at + interval '2 seconds'
      order by o.created_at, o.id limit 1
    ) taken on (d.flow_control -> 'singleton') is not null
      and coalesce(d.flow_control -> 'singleton' ->> 'mode', 'cancel') = 'cancel'`,
});
